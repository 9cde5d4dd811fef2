package dev.colony.node.activation;

import dev.colony.agent.step.DurableMemory;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

/**
 * Holds an agent's activation from when it has something to do until it has not. Thread-safe; user
 * code that is slow to be made holds up the work that needs it, and no other.
 */
final class ActivationHolder {

  private final Function<DurableMemory, Activation> builder;
  private Optional<Activation> current = Optional.empty();

  /**
   * @param builder makes the activation, restored from what the agent has kept; throws what it
   *     throw
   */
  ActivationHolder(Function<DurableMemory, Activation> builder) {
    this.builder = builder;
  }

  /**
   * The activation, made if need be, on the caller's thread.
   *
   * @param asked whose work they are for; one piece of work at a time
   * @throws CancellationException if that is cancelled
   */
  Activation enter(DurableMemory memory, CancellationToken asked) {
    asked.check();
    Optional<Activation> made = current();
    if (made.isPresent()) {
      return made.get();
    }
    Activation fresh = builder.apply(memory);
    synchronized (this) {
      // The thread that cancels lets go of the activation after that, so that none is left behind.
      if (!asked.cancelled()) {
        current = Optional.of(fresh);
        return fresh;
      }
    }
    fresh.agent().retire();
    throw asked.cancellation();
  }

  /** Lets go of them. */
  void leave() {
    retire(taken(Optional.empty()));
  }

  /**
   * Lets go of those that a piece of work has used. If it was cancelled, they are gone already, and
   * those that stand here are another's.
   */
  void leave(CancellationToken asked) {
    retire(taken(Optional.of(asked)));
  }

  private synchronized Optional<Activation> taken(Optional<CancellationToken> by) {
    if (by.filter(CancellationToken::cancelled).isPresent()) {
      return Optional.empty();
    }
    Optional<Activation> left = current;
    current = Optional.empty();
    return left;
  }

  private static void retire(Optional<Activation> left) {
    left.ifPresent(activation -> activation.agent().retire());
  }

  private synchronized Optional<Activation> current() {
    return current;
  }
}
