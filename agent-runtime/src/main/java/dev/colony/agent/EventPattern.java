package dev.colony.agent;

import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import java.util.Objects;

/**
 * Writes that an agent handles: those of others, in a scope, to keys that match. Of one scope an
 * agent handles at most 16 patterns, each with at most 4 stars.
 */
public record EventPattern(Scope scope, KeyGlob keys) {

  public EventPattern {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(keys, "keys");
  }

  /** The keys of a scope that match a glob. */
  public static EventPattern of(Scope scope, String keyGlob) {
    return new EventPattern(scope, new KeyGlob(keyGlob));
  }
}
