package dev.colony.journal;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the agents of a node have done to the blackboard lately: results published, ends announced,
 * suspensions entered. A store that goes back to an older state may have lost them although it
 * keeps the journal that says that they were done, so they are done once more then. Each of them
 * may be repeated. Thread-safe.
 */
final class RecentWrites {

  private static final Logger LOG = LoggerFactory.getLogger(RecentWrites.class);

  /** How much before the time that is told of a write may have been lost. */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private final InstantSource clock;
  private final int most;
  private final Duration longest;
  private final Deque<Done> done = new ArrayDeque<>();

  private record Done(Instant at, String what, Supplier<? extends CompletionStage<?>> again) {}

  /**
   * @param most of them are kept, the newest
   * @param longest for how long
   */
  RecentWrites(InstantSource clock, int most, Duration longest) {
    this.clock = clock;
    this.most = most;
    this.longest = longest;
  }

  /**
   * Keeps something that was done.
   *
   * @param again does it once more
   */
  synchronized void add(String what, Supplier<? extends CompletionStage<?>> again) {
    Instant now = clock.instant();
    Instant oldest = now.minus(longest);
    while (!done.isEmpty() && (done.size() >= most || done.getFirst().at().isBefore(oldest))) {
      done.removeFirst();
    }
    done.addLast(new Done(now, what, again));
  }

  /** Does again what was done since then. Returns at once; failures are logged. */
  void repeatSince(Instant since) {
    List<Done> lost;
    synchronized (this) {
      lost = done.stream().filter(one -> !one.at().isBefore(since.minus(MARGIN))).toList();
    }
    if (lost.isEmpty()) {
      return;
    }
    LOG.warn("{} writes to the blackboard since {} are made again", lost.size(), since);
    lost.forEach(one ->
        one.again()
            .get()
            .whenComplete((again, failure) -> {
              if (failure != null) {
                LOG.error("{} again, after the store has gone back, failed", one.what(), failure);
              }
            }));
  }
}
