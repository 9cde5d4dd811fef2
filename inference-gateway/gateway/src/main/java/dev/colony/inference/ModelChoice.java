package dev.colony.inference;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** Which of the configured models is to answer. */
public sealed interface ModelChoice {

  /** Tags of a choice at most. */
  int MOST_TAGS = 16;

  /** Characters of a name or a tag at most. */
  int MOST_CHARACTERS = 128;

  /** The configured default. */
  ModelChoice DEFAULT = new Default();

  record Default() implements ModelChoice {}

  /** The one of this name. */
  record Named(String model) implements ModelChoice {

    public Named {
      named("name", model);
    }
  }

  /**
   * The cheapest of those with all of these tags, and where it is not available the next cheapest.
   *
   * @param tags at least one
   */
  record Tagged(Set<String> tags) implements ModelChoice {

    public Tagged {
      if (tags.isEmpty() || tags.size() > MOST_TAGS) {
        throw new IllegalArgumentException(
            "a choice of a model has " + tags.size() + " tags, allowed are 1 to " + MOST_TAGS);
      }
      tags.forEach(tag -> named("tag", tag));
      tags = Collections.unmodifiableSet(new TreeSet<>(tags));
    }
  }

  private static void named(String what, String text) {
    if (text.isBlank() || text.length() > MOST_CHARACTERS) {
      throw new IllegalArgumentException(
          "a choice of a model has a %s of %d characters, allowed are 1 to %d, not all blank"
              .formatted(what, text.length(), MOST_CHARACTERS));
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
