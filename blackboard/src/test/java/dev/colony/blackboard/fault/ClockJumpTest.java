package dev.colony.blackboard.fault;

import static dev.colony.blackboard.fault.LostTailContract.keys;
import static dev.colony.blackboard.fault.LostTailContract.now;
import static dev.colony.blackboard.fault.LostTailContract.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisShell;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The server's clock is set back by a day. A test cannot do that, so the head of a scope is put
 * into tomorrow, as a server leaves it whose clock was wrong until now.
 */
class ClockJumpTest {

  private static final int WRITES = 5;

  private final Scope scope = Scope.session("t" + UUID.randomUUID(), "c", "s");
  private final TestRedis redis = TestRedis.shared();

  @Test
  void positionsGoOnGrowingAndSubscribersMissNothing() {
    try (RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(30));
        RedisBlackboards blackboards =
            new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      Blackboard board = blackboards.open(scope, "w");
      Instant begun = Instant.now();
      Position tomorrow = new Position(begun.plus(Duration.ofDays(1)).toEpochMilli(), 0);
      headAt(tomorrow);

      Recorder live = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
      SubscribeFrom durable = SubscribeFrom.durable("d");
      Recorder first = Recorder.eager().to(board.subscribe("*", durable));
      write(board, "before", WRITES);
      Position seen = first.awaitCount(WRITES).events().getLast().position();
      first.cancel();
      now(board.acknowledge("d", seen));
      write(board, "after", WRITES);

      List<BlackboardEvent> events = live.awaitCount(2 * WRITES).events();
      assertThat(events)
          .extracting(BlackboardEvent::position)
          .isSorted()
          .doesNotHaveDuplicates()
          .allSatisfy(at -> assertThat(at.millis()).isEqualTo(tomorrow.millis()));
      assertThat(events.getLast().position().ordinal()).isEqualTo(2 * WRITES);
      assertThat(events)
          .as("when it happened is told by the clock, wherever it stands")
          .allSatisfy(event -> assertThat(event.at()).isBefore(begun.plus(Duration.ofHours(23))));
      Recorder again = Recorder.eager().to(board.subscribe("*", durable));
      assertThat(again.awaitCount(WRITES).keys()).isEqualTo(keys("after", WRITES));
      assertThat(now(board.history(EventFilter.all(), Position.BEGINNING, 100))).isEqualTo(events);
      Recorder back = Recorder.eager().to(board.subscribe("*", SubscribeFrom.after(seen)));
      assertThat(back.awaitCount(WRITES).keys()).isEqualTo(keys("after", WRITES));
      assertThat(List.of(live.end(), again.end(), back.end())).noneMatch(end -> end.isDone());
    }
  }

  private void headAt(Position position) {
    int bucket = InboxBucket.of(scope, BlackboardSettings.DEFAULTS.buckets());
    new RedisShell(redis.port())
        .command("HSET colony:{inbox-%d}:%s p %s".formatted(bucket, scope.path(), position));
  }
}
