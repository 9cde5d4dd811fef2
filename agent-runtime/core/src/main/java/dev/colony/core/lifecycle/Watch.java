package dev.colony.core.lifecycle;

import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import java.util.Optional;
import java.util.Set;

/**
 * A scope whose writes wake the agent, and how far the agent has come in it.
 *
 * @param taken up to here, matching writes are in runs that were accepted
 * @param due the first write that is known to have matched after {@code taken}; without meaning
 *     where none is
 * @param noticed the last write that is known to have matched, up to {@code taken} where none is
 *     known after it
 */
public record Watch(
    Scope scope, Set<KeyGlob> globs, Position taken, Position due, Position noticed) {

  public Watch {
    globs = Set.copyOf(globs);
    // As a rule they are equal, in each of very many agents.
    due = due.equals(taken) ? taken : due;
    noticed = noticed.equals(due) ? due : noticed;
  }

  /**
   * A scope that has just come to be watched.
   *
   * @param taken writes after it count
   * @param due the first matching one that is there already
   */
  public static Watch begun(
      Scope scope, Set<KeyGlob> globs, Position taken, Optional<Position> due) {
    return new Watch(scope, globs, taken, due.orElse(taken), due.orElse(taken));
  }

  /** The same place in the scope, under other patterns. */
  public Watch globs(Set<KeyGlob> others) {
    return new Watch(scope, others, taken, due, noticed);
  }

  /** Whether writes are known that no run was started for. */
  public boolean unread() {
    return noticed.compareTo(taken) > 0;
  }

  boolean knows(Position position) {
    return position.compareTo(unread() ? noticed : taken) <= 0;
  }

  Watch noticed(Position position) {
    return new Watch(scope, globs, taken, unread() ? due : position, position);
  }

  /**
   * @param next the first write after it that is known, if any
   */
  Watch taken(Position upTo, Optional<Position> next) {
    Position first = next.orElse(noticed);
    return new Watch(scope, globs, upTo, first, first.compareTo(noticed) > 0 ? first : noticed);
  }
}
