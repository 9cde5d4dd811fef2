package dev.colony.agent.resident;

import dev.colony.agent.step.Mind;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

/**
 * Holds an agent's faculties from when it has something to do until it has not. Thread-safe; user
 * code that is slow to be made holds up the work that needs it, and nobody else.
 */
final class Residence {

  private final Function<Mind, Faculties> builder;
  private Optional<Faculties> inhabited = Optional.empty();

  /**
   * @param builder makes the faculties, restored from what the agent has kept; throws what they
   *     throw
   */
  Residence(Function<Mind, Faculties> builder) {
    this.builder = builder;
  }

  /**
   * The faculties, made if need be, on the caller's thread.
   *
   * @param asked whose work they are for; one piece of work at a time
   * @throws CancellationException if that is cancelled
   */
  Faculties enter(Mind mind, Running asked) {
    asked.check();
    Optional<Faculties> standing = inhabited();
    if (standing.isPresent()) {
      return standing.get();
    }
    Faculties made = builder.apply(mind);
    synchronized (this) {
      // Whoever cancels lets go of the faculties after that, so that none is left behind.
      if (!asked.cancelled()) {
        inhabited = Optional.of(made);
        return made;
      }
    }
    made.agent().retire();
    throw new CancellationException("nobody waits for this any more");
  }

  /** Lets go of them. */
  void leave() {
    retire(taken(Optional.empty()));
  }

  /**
   * Lets go of those that a piece of work has used. If it was cancelled, they are gone already, and
   * those that stand here are another's.
   */
  void leave(Running asked) {
    retire(taken(Optional.of(asked)));
  }

  private synchronized Optional<Faculties> taken(Optional<Running> by) {
    if (by.filter(Running::cancelled).isPresent()) {
      return Optional.empty();
    }
    Optional<Faculties> left = inhabited;
    inhabited = Optional.empty();
    return left;
  }

  private static void retire(Optional<Faculties> left) {
    left.ifPresent(faculties -> faculties.agent().retire());
  }

  private synchronized Optional<Faculties> inhabited() {
    return inhabited;
  }
}
