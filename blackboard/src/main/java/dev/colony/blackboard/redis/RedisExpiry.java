package dev.colony.blackboard.redis;

import dev.colony.blackboard.clock.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has entries removed whose time to live is over, by the cluster time, and those that were cleared.
 * Readers do not see them in any case; this is for the memory they take, and for the events of
 * those that expired.
 *
 * <p>A process looks soon into the buckets in which it has written such entries, and every now and
 * then into all, because the process that wrote an entry may be gone. What several processes find
 * has one event: the script removes an entry and stores its event in one.
 */
final class RedisExpiry {

  private static final Logger LOG = LoggerFactory.getLogger(RedisExpiry.class);

  /** How many entries one call removes at most: about a millisecond of the server's time. */
  private static final int AT_ONCE = 100;

  private static final class Bucket {
    /** Null while nothing is expected. */
    Deadline due;

    boolean looking;
  }

  private final ScopeCalls calls;
  private final Duration interval;
  private final List<Bucket> buckets = new ArrayList<>();

  /**
   * @param interval after how long a look that failed is repeated
   */
  RedisExpiry(ScopeCalls calls, Duration interval, int buckets) {
    this.calls = calls;
    this.interval = interval;
    for (int i = 0; i < buckets; i++) {
      this.buckets.add(new Bucket());
    }
  }

  /** Something in a bucket expires after a time from now. */
  void expected(int number, long millis) {
    Deadline at = Deadline.in(Duration.ofMillis(millis));
    Bucket bucket = buckets.get(number);
    synchronized (bucket) {
      if (bucket.due == null || at.isBefore(bucket.due)) {
        bucket.due = at;
      }
    }
  }

  /** Something in a bucket is due; looks at once unless a look is under way. */
  void due(int number) {
    expected(number, 0);
    look(number);
  }

  /** Looks into the buckets where something should have expired. */
  void look() {
    for (int number = 0; number < buckets.size(); number++) {
      Bucket bucket = buckets.get(number);
      boolean due;
      synchronized (bucket) {
        due = bucket.due != null && bucket.due.passed();
      }
      if (due) {
        look(number);
      }
    }
  }

  /** Looks into all buckets. */
  void sweep() {
    for (int number = 0; number < buckets.size(); number++) {
      look(number);
    }
  }

  private void look(int number) {
    Bucket bucket = buckets.get(number);
    synchronized (bucket) {
      if (bucket.looking) {
        return;
      }
      bucket.looking = true;
      bucket.due = null;
    }
    calls
        .expire(number, AT_ONCE)
        .whenComplete((next, failure) -> {
          synchronized (bucket) {
            bucket.looking = false;
          }
          if (failure != null) {
            LOG.debug("cannot look for what has expired: {}", failure.toString());
            expected(number, interval.toMillis());
          } else if (next == 0) {
            look(number);
          } else if (next > 0) {
            expected(number, next);
          }
        });
  }
}
