package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Which events stay, by number, by bytes and for durable subscriptions; positions and the clock.
 */
class EventRetentionTest extends RedisTest {

  private static final int KEPT = 100;
  private static final int KEPT_FOR_DURABLE = 600;

  /** A node of a stream holds this many small events, and goes as a whole. */
  private static final int NODE = 100;

  private Blackboard board(long keptBytes) {
    return blackboards(
            UNSWEPT.withEvents(new BlackboardSettings.Events(KEPT, KEPT_FOR_DURABLE, keptBytes)))
        .open(scope, "w");
  }

  @Test
  void largeEventsAreBoundedByTheirBytes() {
    int valueBytes = 10_000;
    long keptBytes = 200_000;
    Blackboard board = board(keptBytes);
    for (int n = 0; n < 90; n++) {
      written(board.write(Write.of("k" + n, TextNode.valueOf("x".repeat(valueBytes)))), 1);
      long stored = get(board.statistics()).events() * (valueBytes + 100);
      assertThat(stored).isLessThan(keptBytes * 9 / 8 + 3 * (valueBytes + 100));
    }
    assertThat(get(board.statistics()).events() * valueBytes).isGreaterThan(keptBytes * 7 / 8);
    assertThat(get(redis().zcard(keys.base() + "/marks"))).isLessThanOrEqualTo(10);
  }

  @Test
  void anEventLargerThanTheBoundStaysUntilTheNext() {
    Blackboard board = board(1_000);
    Position last = Position.BEGINNING;
    for (int n = 0; n < 5; n++) {
      last = written(board.write(Write.of("k" + n, TextNode.valueOf("x".repeat(5_000)))), 1);
      assertThat(history(board)).extracting(BlackboardEvent::position).contains(last);
    }
    assertThat(history(board)).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void marksCostNothingForSmallEvents() {
    writeAll(board(1L << 28), 0, 300);
    assertThat(get(redis().exists(keys.base() + "/marks"))).isZero();
  }

  @Test
  void eventsAreRetainedForTheSlowestDurableSubscriptionUpToTheLimit() {
    Blackboard board = board(1L << 28);
    get(board.acknowledge("slow", Position.BEGINNING));
    get(board.acknowledge("fast", Position.BEGINNING));
    writeAll(board, 0, 400);
    assertThat(stored(board)).isEqualTo(400);
    get(board.acknowledge("fast", head(board)));
    assertThat(stored(board)).as("the slow one has none").isEqualTo(400);
    get(board.acknowledge("slow", history(board).get(199).position()));
    assertThat(stored(board)).isBetween(200L, 200L + NODE);
    writeAll(board, 400, 1_200);
    assertThat(stored(board)).isBetween((long) KEPT_FOR_DURABLE, (long) KEPT_FOR_DURABLE + NODE);
    assertThat(get(board.forget("slow"))).isTrue();
    get(board.acknowledge("fast", head(board)));
    assertThat(stored(board)).isBetween((long) KEPT, (long) KEPT + NODE);
    assertThat(get(board.forget("fast"))).isTrue();
    writeAll(board, 1_200, 1_500);
    assertThat(stored(board)).isBetween((long) KEPT, (long) KEPT + NODE);
  }

  @Test
  void acknowledgementOnlyGoesForward() {
    Blackboard board = board(1L << 28);
    writeAll(board, 0, 3);
    List<Position> positions = history(board).stream().map(BlackboardEvent::position).toList();
    get(board.acknowledge("d", positions.get(1)));
    get(board.acknowledge("d", positions.get(0)));
    assertThat(get(board.statistics()).subscriptions()).isEqualTo(Map.of("d", positions.get(1)));
    get(board.acknowledge("d", positions.get(2)));
    assertThat(get(board.statistics()).subscriptions()).isEqualTo(Map.of("d", positions.get(2)));
  }

  @Test
  void positionsGrowThoughTheClockWasSetBack() {
    Blackboard board = board(1L << 28);
    Position first = written(board.write(text("k", "1")), 1);
    // As it is after the clock has been set back by a day.
    Position ahead = new Position(first.millis() + 86_400_000, first.ordinal() + 1);
    byte[] frame = bytes("W " + ahead + " " + first + " 5 0 1 0 5 1 0 1 1 0\nwwk7");
    get(
        redis()
            .xadd(
                keys.events(),
                new io.lettuce.core.XAddArgs().id(ahead.toString()),
                Map.of("e", frame)));
    get(redis().hset(keys.base(), "p", bytes(ahead.toString())));

    Position second = written(board.write(text("k", "2")), 2);
    Position third = written(board.write(text("k", "3")), 3);
    assertThat(second).isEqualTo(new Position(ahead.millis(), ahead.ordinal() + 1));
    assertThat(third).isEqualTo(new Position(ahead.millis(), ahead.ordinal() + 2));
    List<BlackboardEvent> events = get(board.history(EventFilter.all(), ahead, 10));
    assertThat(events).extracting(BlackboardEvent::position).containsExactly(second, third);
    assertThat(events.getFirst().at().toEpochMilli())
        .as("its time is the clock's")
        .isLessThan(ahead.millis());
    assertThat(get(board.read("k")).orElseThrow().position()).isEqualTo(third);
  }

  @Test
  void ordinalsAreDenseOverAllKindsOfEvents() {
    Blackboard board = board(1L << 28);
    get(board.writeAll(List.of(text("a", ""), text("b", ""), text("c", ""))));
    get(board.delete("a"));
    get(board.clear());
    written(board.write(text("d", "")), 1);
    assertThat(history(board))
        .extracting(event -> event.position().ordinal())
        .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
  }

  private static void writeAll(Blackboard board, int from, int to) {
    IntStream.range(from, to)
        .mapToObj(n -> board.write(text("k" + n, "")))
        .toList()
        .forEach(write -> written(write, 1));
  }

  private static long stored(Blackboard board) {
    return get(board.statistics()).events();
  }

  private static Position head(Blackboard board) {
    return get(board.statistics()).head();
  }
}
