package dev.colony.deploy.management;

import java.util.concurrent.atomic.AtomicReference;

/**
 * How far a node is, for whoever asks whether it is well. It only goes forward, and may leave at
 * any time. Thread-safe.
 */
public final class NodeHealth {

  /** What a node goes through, in this order. */
  public enum Phase {
    /** It is starting its parts. */
    STARTING,
    /** All its parts run; it looks for the others, or waits until there are enough of them. */
    JOINING,
    /** It is a member and takes agents. */
    SERVING,
    /** It gives its agents to the others, and ends. */
    LEAVING
  }

  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);

  /** Goes to a phase, unless it is there or beyond. */
  public void reached(Phase next) {
    phase.updateAndGet(now -> now.compareTo(next) < 0 ? next : now);
  }

  /** Whether its start has succeeded as far as it depends on the node itself. */
  public boolean started() {
    return phase.get() != Phase.STARTING;
  }

  /** Whether it may be sent work. */
  public boolean ready() {
    return phase.get() == Phase.SERVING;
  }
}
