package dev.colony.inference.replicas;

import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import java.time.Duration;

/**
 * Whether one replica may be called, and how much. It may while it is listed, does not drain, has
 * not failed too many checks in a row, and its circuit breaker lets calls through. Having come, or
 * come back, it starts slowly: its share grows in proportion to the time since.
 *
 * <p>Times are nanoseconds of any clock that never goes back. Not thread-safe.
 */
public final class ReplicaHealth {

  /** The word for one that is called. */
  public static final String SERVING = "serving";

  /** The least share of a replica that starts, so that it gets calls at all. */
  private static final double LEAST = 0.1;

  /**
   * How health is judged.
   *
   * @param failedChecks in a row after which a replica is not called
   * @param passedChecks in a row after which it is again
   * @param slowStart how long it takes to its full share; zero for at once
   */
  public record Settings(
      int failedChecks, int passedChecks, Duration slowStart, CircuitBreaker.Settings breaker) {

    public Settings {
      if (failedChecks < 1 || passedChecks < 1 || slowStart.isNegative()) {
        throw new IllegalArgumentException(
            "failedChecks "
                + failedChecks
                + ", passedChecks "
                + passedChecks
                + ", slowStart "
                + slowStart);
      }
    }
  }

  private final Settings settings;
  private final CircuitBreaker breaker;
  private boolean draining;
  private boolean healthy = true;
  private int streak;
  private long since;

  /** A replica that was not there a moment ago. */
  public ReplicaHealth(Settings settings, long now) {
    this.settings = settings;
    this.breaker = new CircuitBreaker(settings.breaker());
    this.since = now;
  }

  /** One that was there when this gateway started: it need not start slowly. */
  public static ReplicaHealth known(Settings settings, long now) {
    return new ReplicaHealth(settings, now - settings.slowStart().toNanos());
  }

  /** It is about to go: calls that run there go on, no others begin. */
  public void draining(boolean now) {
    draining = now;
  }

  /** A check was passed, or was not. */
  public void checked(boolean passed, long now) {
    if (passed == healthy) {
      streak = 0;
      return;
    }
    streak++;
    if (healthy && streak >= settings.failedChecks()) {
      healthy = false;
      streak = 0;
    } else if (!healthy && streak >= settings.passedChecks()) {
      healthy = true;
      streak = 0;
      since = now;
    }
  }

  /** What calls to it show. Those that are let through have to be told of. */
  public CircuitBreaker breaker() {
    return breaker;
  }

  /** Whether calls may be sent. */
  public boolean available(long now) {
    return healthy && !draining && breaker.allows(now);
  }

  /** How it stands to calls. */
  public Access access(boolean full, double reachSeconds, long now) {
    return new Access(available(now), full, warm(now), reachSeconds);
  }

  private double warm(long now) {
    long slow = settings.slowStart().toNanos();
    return slow == 0 || now - since >= slow ? 1 : Math.max(LEAST, (double) (now - since) / slow);
  }

  /** One word or two on why it is not called, for an operator; {@link #SERVING} where it is. */
  public String status(long now) {
    if (draining) {
      return "draining";
    }
    if (!healthy) {
      return "unhealthy";
    }
    return switch (breaker.state(now)) {
      case CLOSED -> SERVING;
      case OPEN -> "circuit open";
      case HALF_OPEN -> "circuit half open";
    };
  }
}
