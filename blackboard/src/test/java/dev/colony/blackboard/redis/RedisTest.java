package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;

/** A scope of its own on the shared server, and a look at what lies there. */
abstract class RedisTest {

  /** Nothing is looked for that has expired, and nothing whose push was lost. */
  static final BlackboardSettings UNSWEPT =
      BlackboardSettings.DEFAULTS
          .withSweepInterval(Duration.ofHours(1))
          .withExpiryInterval(Duration.ofHours(1));

  final TestRedis server = TestRedis.shared();
  final Scope scope = Scope.agent("t" + UUID.randomUUID(), "c", "a");
  final ScopeKeys keys = ScopeKeys.of(scope, UNSWEPT.buckets());
  final RedisConnections connections = new RedisConnections(server.uri(), Duration.ofSeconds(20));
  private final List<RedisBlackboards> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(RedisBlackboards::close);
    connections.close();
  }

  RedisBlackboards blackboards(BlackboardSettings settings) {
    RedisBlackboards blackboards = new RedisBlackboards(connections, settings);
    opened.add(blackboards);
    return blackboards;
  }

  Blackboard board() {
    return blackboards(UNSWEPT).open(scope, "w");
  }

  RedisClusterAsyncCommands<String, byte[]> redis() {
    return connections.commands();
  }

  static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  static Position written(CompletionStage<WriteResult> stage, long version) {
    WriteResult result = get(stage);
    assertThat(result)
        .isInstanceOfSatisfying(
            WriteResult.Written.class, written -> assertThat(written.version()).isEqualTo(version));
    return ((WriteResult.Written) result).position();
  }

  static Write text(String key, String value) {
    return Write.of(key, TextNode.valueOf(value));
  }

  static List<BlackboardEvent> history(Blackboard board) {
    return get(board.history(EventFilter.all(), Position.BEGINNING, 1_000_000));
  }

  /** For example "EXPIRED k". */
  static String brief(BlackboardEvent event) {
    return event.type() + " " + event.entryKey().orElse("");
  }

  /** How often a server was asked to do something, by scripts too. */
  static long commandCalls(RedisClusterAsyncCommands<String, byte[]> redis, String command) {
    Pattern calls = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)");
    Matcher found = calls.matcher(get(redis.info("commandstats")));
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
