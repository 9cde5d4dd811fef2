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

    public static final Settings USUAL =
        new Settings(3, 2, Duration.ofSeconds(30), CircuitBreaker.Settings.USUAL);
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

  /**
   * Keeps calls from a replica that fails them, as in Nygard, "Release It!": closed, it lets all
   * through; after so many failures in a row it opens and lets none through; when the time is over
   * it is half open and lets a few through, of which the first failure opens it again, for twice as
   * long, and as many successes close it.
   *
   * <p>Times are nanoseconds of any clock that never goes back. Not thread-safe.
   */
  public static final class CircuitBreaker {

    /** What it is in. */
    public enum State {
      CLOSED,
      OPEN,
      HALF_OPEN
    }

    /**
     * When it opens and closes.
     *
     * @param failures in a row that open it, at least 1
     * @param open for how long at first
     * @param openMax for how long at most
     * @param trials calls that it lets through at once while half open, and successes that close it
     */
    public record Settings(int failures, Duration open, Duration openMax, int trials) {

      public static final Settings USUAL =
          new Settings(5, Duration.ofSeconds(5), Duration.ofMinutes(2), 2);
    }

    private final Settings settings;
    private State state = State.CLOSED;
    private int failures;
    private int successes;
    private int trials;
    private long until;
    private long openNanos;

    public CircuitBreaker(Settings settings) {
      this.settings = settings;
      this.openNanos = settings.open().toNanos();
    }

    /** The state at this moment. */
    public State state(long now) {
      if (state == State.OPEN && now - until >= 0) {
        state = State.HALF_OPEN;
        trials = 0;
        successes = 0;
      }
      return state;
    }

    /** Whether a call may be sent. */
    public boolean allows(long now) {
      return switch (state(now)) {
        case CLOSED -> true;
        case OPEN -> false;
        case HALF_OPEN -> trials < settings.trials();
      };
    }

    /** A call is sent. What became of it has to be said by exactly one of the methods below. */
    public void sent(long now) {
      if (state(now) == State.HALF_OPEN) {
        trials++;
      }
    }

    /** A call was answered, or refused for a reason that lies in the call. */
    public void succeeded(long now) {
      switch (state(now)) {
        case CLOSED -> failures = 0;
        case OPEN -> {
          // Sent before it opened: too old to say anything.
        }
        case HALF_OPEN -> {
          done();
          if (++successes >= settings.trials()) {
            close();
          }
        }
      }
    }

    /** A call failed for a reason that lies in the replica. */
    public void failed(long now) {
      switch (state(now)) {
        case CLOSED -> {
          if (++failures >= settings.failures()) {
            open(now);
          }
        }
        case OPEN -> {
          // Sent before it opened.
        }
        case HALF_OPEN -> {
          openNanos = Math.min(2 * openNanos, settings.openMax().toNanos());
          open(now);
        }
      }
    }

    /** A call ended without saying anything of the replica, as one that its caller cancelled. */
    public void cancelled(long now) {
      if (state(now) == State.HALF_OPEN) {
        done();
      }
    }

    private void done() {
      trials = Math.max(0, trials - 1);
    }

    private void open(long now) {
      state = State.OPEN;
      until = now + openNanos;
    }

    private void close() {
      state = State.CLOSED;
      failures = 0;
      openNanos = settings.open().toNanos();
    }
  }
}
