package dev.colony.testkit.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.ScopeEventLog;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Which events are retained, whatever is appended, acknowledged and forgotten. */
class MemoryLogTest {

  private static final int EVENT_BYTES = 200;

  private static void append(MemoryLog log, long millis) {
    Position next = log.next(Instant.ofEpochMilli(millis));
    log.append(
        MemoryEvent.of(
            new BlackboardEvent.Cleared(
                Scope.tenant("t"), next, Instant.ofEpochMilli(millis), "w", 1),
            log.head()));
  }

  private static List<Long> ordinals(MemoryLog log) {
    return log.read(Position.BEGINNING, Integer.MAX_VALUE, Long.MAX_VALUE).events().stream()
        .map(event -> event.position().ordinal())
        .toList();
  }

  /**
   * Each step appends an event; by its number, then, a subscription is made, forgotten or
   * acknowledges.
   */
  @Property
  void oldestGoOnceNobodyMayHaveThem(
      @ForAll @Size(max = 60) List<@IntRange(max = 9) Integer> steps,
      @ForAll @IntRange(min = 1, max = 6) int kept,
      @ForAll @IntRange(max = 10) int more,
      @ForAll @IntRange(min = 1, max = 20) int keptBytes) {
    MemoryLog log =
        new MemoryLog(
            new BlackboardSettings.Events(kept, kept + more, (long) keptBytes * EVENT_BYTES));
    Map<String, Long> durables = new HashMap<>();
    long oldest = 1;
    for (int step : steps) {
      append(log, 1_000);
      oldest = trimmed(oldest, log, durables, kept, more, keptBytes);
      String name = "d" + step % 2;
      switch (step) {
        case 0, 1 ->
            durables.putIfAbsent(
                name,
                log.acknowledged(new SubscribeFrom.Durable(name, SubscribeFrom.now())).ordinal());
        case 2, 3 -> assertThat(log.forget(name)).isEqualTo(durables.remove(name) != null);
        case 4, 5 -> {
          long ordinal = Math.max(0, log.head().ordinal() - step);
          log.acknowledge(name, ordinal == 0 ? Position.BEGINNING : new Position(1_000, ordinal));
          durables.merge(name, ordinal, Math::max);
        }
        default -> {}
      }
      oldest = trimmed(oldest, log, durables, kept, more, keptBytes);
      assertThat(ordinals(log)).isEqualTo(range(oldest, log.head().ordinal()));
      assertThat(log.size()).isEqualTo(ordinals(log).size());
    }
  }

  /** The ordinal of the oldest event that is still there. */
  private static long trimmed(
      long oldest, MemoryLog log, Map<String, Long> durables, int kept, int more, int keptBytes) {
    long slowest =
        durables.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    long first = oldest;
    while (true) {
      long size = log.head().ordinal() - first + 1;
      boolean go = size > keptBytes || size > kept + more || (size > kept && first <= slowest);
      if (!go || size == 1) {
        return first;
      }
      first++;
    }
  }

  private static List<Long> range(long from, long to) {
    List<Long> range = new ArrayList<>();
    for (long n = from; n <= to; n++) {
      range.add(n);
    }
    return range;
  }

  @Property
  void readTakesAsManyAsAskedForAndAtLeastOne(
      @ForAll @IntRange(max = 12) int stored,
      @ForAll @IntRange(min = 1, max = 14) int limit,
      @ForAll @IntRange(max = 3_000) int maxBytes) {
    MemoryLog log = new MemoryLog(new BlackboardSettings.Events(100, 100, 1L << 20));
    for (int n = 0; n < stored; n++) {
      append(log, n);
    }
    ScopeEventLog.Page page = log.read(Position.BEGINNING, limit, maxBytes);
    int expected = Math.min(stored, Math.min(limit, Math.max(1, maxBytes / EVENT_BYTES)));
    assertThat(page.events()).hasSize(expected);
    assertThat(page.end()).isEqualTo(expected == stored);
    assertThat(page.events()).allMatch(event -> event.bytes() == EVENT_BYTES);
  }

  @Example
  void eachEventNamesTheOneBeforeItThoughTheClockGoesBack() {
    MemoryLog log = new MemoryLog(new BlackboardSettings.Events(100, 100, 1L << 20));
    List.of(5L, 3L, 3L, 9L, 0L).forEach(millis -> append(log, millis));
    List<LoggedEvent> events =
        log.read(Position.BEGINNING, Integer.MAX_VALUE, Long.MAX_VALUE).events();
    assertThat(events)
        .extracting(LoggedEvent::position)
        .containsExactly(
            new Position(5, 1),
            new Position(5, 2),
            new Position(5, 3),
            new Position(9, 4),
            new Position(9, 5));
    Position before = Position.BEGINNING;
    for (LoggedEvent event : events) {
      assertThat(event.previous()).isEqualTo(before);
      before = event.position();
    }
  }
}
