package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A page that is asked for and is in no cache.
 *
 * @param priority the highest of those that ask
 * @param since when the first of them asked
 * @param waiters who asks
 */
public record PendingFault(PageId page, int priority, Instant since, SortedSet<String> waiters) {

  /** The highest priority first, of equal ones the oldest. */
  public static final Comparator<PendingFault> ORDER =
      Comparator.comparingInt(PendingFault::priority)
          .reversed()
          .thenComparing(PendingFault::since)
          .thenComparing(PendingFault::page);

  public PendingFault {
    waiters = new TreeSet<>(waiters);
  }

  static PendingFault of(PageRequest request) {
    TreeSet<String> waiters = new TreeSet<>();
    waiters.add(request.holder());
    return new PendingFault(request.page(), request.priority(), request.since(), waiters);
  }

  PendingFault and(PendingFault other) {
    TreeSet<String> all = new TreeSet<>(waiters);
    all.addAll(other.waiters);
    return new PendingFault(
        page,
        Math.max(priority, other.priority),
        since.isBefore(other.since) ? since : other.since,
        all);
  }

  /** How long it has been, not below zero. */
  public Duration age(Instant now) {
    return now.isAfter(since) ? Duration.between(since, now) : Duration.ZERO;
  }
}
