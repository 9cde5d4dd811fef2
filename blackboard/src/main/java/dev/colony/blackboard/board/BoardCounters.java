package dev.colony.blackboard.board;

import dev.colony.blackboard.BlackboardCounters;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** Counts for one board and, with it, for all boards of the same backend. Thread-safe. */
final class BoardCounters {

  /** The components of {@link BlackboardCounters}. */
  enum Count {
    READS,
    QUERIES,
    WRITES,
    DELETES,
    CLEARS,
    CONFLICTS,
    COMMITS,
    RETRIES,
    CONCURRENT_MODIFICATIONS,
    REFUSALS,
    FAILURES,
    EVENTS
  }

  private final Optional<BoardCounters> whole;
  private final Map<Count, LongAdder> adders = new EnumMap<>(Count.class);

  private BoardCounters(Optional<BoardCounters> whole) {
    this.whole = whole;
    for (Count count : Count.values()) {
      adders.put(count, new LongAdder());
    }
  }

  /** Of a whole backend. */
  static BoardCounters whole() {
    return new BoardCounters(Optional.empty());
  }

  /** Of one board; what it counts, this counts too. */
  BoardCounters part() {
    return new BoardCounters(Optional.of(this));
  }

  void add(Count count, long times) {
    adders.get(count).add(times);
    whole.ifPresent(all -> all.add(count, times));
  }

  void add(Count count) {
    add(count, 1);
  }

  BlackboardCounters counters() {
    return new BlackboardCounters(
        of(Count.READS),
        of(Count.QUERIES),
        of(Count.WRITES),
        of(Count.DELETES),
        of(Count.CLEARS),
        of(Count.CONFLICTS),
        of(Count.COMMITS),
        of(Count.RETRIES),
        of(Count.CONCURRENT_MODIFICATIONS),
        of(Count.REFUSALS),
        of(Count.FAILURES),
        of(Count.EVENTS));
  }

  private long of(Count count) {
    return adders.get(count).sum();
  }
}
