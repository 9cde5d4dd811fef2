package dev.colony.inference;

/** Which of the configured models is to answer. */
public sealed interface ModelChoice {

  /** The configured default. */
  ModelChoice DEFAULT = new Default();

  record Default() implements ModelChoice {}

  /** The one of this name. */
  record Named(String model) implements ModelChoice {}

  /** The first of those with this tag that can be reached. */
  record Tagged(String tag) implements ModelChoice {}
}
