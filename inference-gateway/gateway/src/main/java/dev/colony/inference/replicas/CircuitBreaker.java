package dev.colony.inference.replicas;

import java.time.Duration;

/**
 * Keeps calls from a replica that fails them, as in Nygard, "Release It!": closed, it lets all
 * through; after so many failures in a row it opens and lets none through; when the time is over it
 * is half open and lets a few through, of which the first failure opens it again, for twice as
 * long, and as many successes close it.
 *
 * <p>Times are nanoseconds of any clock that never goes back. Not thread-safe.
 */
public final class CircuitBreaker {

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

    public Settings {
      if (failures < 1 || trials < 1 || !open.isPositive() || openMax.compareTo(open) < 0) {
        throw new IllegalArgumentException(
            "failures "
                + failures
                + ", open "
                + open
                + ", openMax "
                + openMax
                + ", trials "
                + trials);
      }
    }
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
