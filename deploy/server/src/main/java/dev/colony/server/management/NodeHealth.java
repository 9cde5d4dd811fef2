package dev.colony.server.management;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * How far a node is, for those who ask whether it is well, and whether something keeps it from
 * serving. Its phase only goes forward, and it may leave at any time. Thread-safe.
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

  private volatile Supplier<Optional<String>> unfit = Optional::empty;

  /** Has the node be not ready while this says why. It is asked often, and must not block. */
  public void unfitWhile(Supplier<Optional<String>> why) {
    unfit = why;
  }

  /** Why the node may not be sent work whatever its phase; empty where it may. */
  public Optional<String> unfit() {
    return unfit.get();
  }

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
    return phase.get() == Phase.SERVING && unfit().isEmpty();
  }
}
