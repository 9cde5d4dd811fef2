package dev.colony.inference;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** Which of the configured models is to answer. */
public sealed interface ModelChoice {

  /** The configured default. */
  ModelChoice DEFAULT = new Default();

  record Default() implements ModelChoice {}

  /** The one of this name. */
  record Named(String model) implements ModelChoice {}

  /**
   * The cheapest of those with all of these tags, and where it is not available the next cheapest.
   *
   * @param tags at least one
   */
  record Tagged(Set<String> tags) implements ModelChoice {

    public Tagged {
      if (tags.isEmpty()) {
        throw new IllegalArgumentException("a choice by tags has no tag");
      }
      tags = Collections.unmodifiableSet(new TreeSet<>(tags));
    }
  }

  /** The model of a name. */
  static ModelChoice named(String model) {
    return new Named(model);
  }

  /** The cheapest model with these tags. */
  static ModelChoice tagged(String... tags) {
    return new Tagged(Set.of(tags));
  }
}
