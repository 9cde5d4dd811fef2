package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.RedisFeeds.Heads;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class HeadsTest {

  private static final int BUCKETS = 4;

  @Test
  void headsOfManyLogsAreAskedForWithFewCommands() {
    try (TestRedis server = TestRedis.start(Fsync.NO);
        RedisConnections connections = new RedisConnections(server.uri(), Duration.ofSeconds(20));
        RedisBlackboards blackboards =
            new RedisBlackboards(connections, RedisTest.UNSWEPT.withBuckets(BUCKETS))) {
      Map<ScopeKeys, Position> heads = new LinkedHashMap<>();
      for (int n = 0; n < 1_500; n++) {
        Scope scope = Scope.agent("t", "c", "a" + n);
        Position head =
            n % 3 == 0
                ? Position.BEGINNING
                : RedisTest.written(blackboards.open(scope, "w").write(RedisTest.text("k", "")), 1);
        heads.put(ScopeKeys.of(scope, BUCKETS), head);
      }
      Heads asked = new Heads(connections, BUCKETS);
      ScopeKeys first = heads.keySet().iterator().next();
      RedisTest.get(asked.of(first));
      long before = RedisTest.commandCalls(connections.commands(), "evalsha");
      List<CompletionStage<Position>> answers = new ArrayList<>();
      heads.keySet().forEach(keys -> answers.add(asked.of(keys)));
      assertThat(answers.stream().map(RedisTest::get).toList())
          .isEqualTo(List.copyOf(heads.values()));
      assertThat(RedisTest.commandCalls(connections.commands(), "evalsha") - before)
          .isLessThan(heads.size() / 10);
    }
  }
}
