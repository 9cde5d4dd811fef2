package dev.colony.agent.view;

import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.util.Objects;
import java.util.Set;

/**
 * A scope whose writes wake an agent.
 *
 * @param keys the patterns of those writes' keys
 * @param taken up to here, matching writes are in runs that were accepted
 * @param unread whether matching writes are known behind that
 */
public record WatchView(Scope scope, Set<String> keys, Position taken, boolean unread) {

  public WatchView {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(taken, "taken");
    keys = Set.copyOf(keys);
  }
}
