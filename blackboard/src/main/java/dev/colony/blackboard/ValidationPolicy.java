package dev.colony.blackboard;

import java.util.Optional;

/** Which values may be written. Pure; called for each write before it is sent. */
@FunctionalInterface
public interface ValidationPolicy {

  /** What is wrong with the write, for a person; empty if nothing is. */
  Optional<String> violation(Write write);

  /** Every value may be written. */
  static ValidationPolicy any() {
    return write -> Optional.empty();
  }

  /** Both must find nothing wrong. */
  default ValidationPolicy and(ValidationPolicy other) {
    return write -> violation(write).or(() -> other.violation(write));
  }
}
