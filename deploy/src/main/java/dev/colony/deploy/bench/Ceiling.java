package dev.colony.deploy.bench;

import java.util.Optional;

/**
 * The most that the same Redis takes of the same script with nothing around it.
 *
 * @param by who drove it
 */
public record Ceiling(double perSecond, String by) {

  /** The higher of the two. */
  public Ceiling or(Optional<Ceiling> other) {
    return other.filter(one -> one.perSecond > perSecond).orElse(this);
  }
}
