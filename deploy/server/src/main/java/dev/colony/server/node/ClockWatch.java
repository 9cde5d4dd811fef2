package dev.colony.server.node;

import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.clock.ClusterClock.ClockSkew;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in a node's log that the clock of its machine or of Redis is wrong, and when it is right
 * again, one line each; and keeps the node from being ready while its machine's clock is far off.
 * Nothing durable goes by these clocks, but logs and certificates do. Thread-safe.
 */
final class ClockWatch {

  private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);
  private static final double MILLIS = 1e3;

  /** How far a clock may be off before a node logs it. */
  private static final Duration WARN_SKEW = Duration.ofSeconds(1);

  /** How far the machine's clock may be off before the node is not ready. */
  private static final Duration MAX_SKEW = Duration.ofMinutes(5);

  private boolean nodeWrong;
  private boolean storeWrong;
  private volatile Optional<String> unfit = Optional.empty();

  static ClockWatch follow(ClusterClock clock) {
    ClockWatch watch = new ClockWatch();
    watch.measured(clock.skew());
    clock.onSkew(watch::measured);
    return watch;
  }

  /** Why the node is not ready; empty while its machine's clock is right enough. */
  Optional<String> unfit() {
    return unfit;
  }

  synchronized void measured(ClockSkew skew) {
    nodeWrong =
        judged(
            "this machine's clock is ", skew.node(), nodeWrong, "logs and certificates go by it");
    storeWrong =
        judged(
            "the clock of Redis is ",
            skew.store(),
            storeWrong,
            "cluster time follows it, by 5 % of what goes by at most");
    unfit =
        skew.node().abs().compareTo(MAX_SKEW) > 0
            ? Optional.of(
                "this machine's clock is %s s off the cluster time, more than %s s: set it right"
                    .formatted(seconds(skew.node()), MAX_SKEW.toSeconds()))
            : Optional.empty();
  }

  /** It is right again well below the bound, so that one near it does not fill the log. */
  private boolean judged(String which, Duration off, boolean wrong, String effect) {
    if (!wrong && off.abs().compareTo(WARN_SKEW) > 0) {
      LOG.warn("{}{} s off the cluster time; {}: set it right", which, seconds(off), effect);
      return true;
    }
    if (wrong && off.abs().compareTo(WARN_SKEW.dividedBy(2)) <= 0) {
      LOG.warn("{}right again, {} s off the cluster time", which, seconds(off));
      return false;
    }
    return wrong;
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%+.1f", duration.toMillis() / MILLIS);
  }
}
