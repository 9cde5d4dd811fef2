package dev.colony.core.capability;

import java.lang.reflect.InvocationTargetException;

/** What a method that was called by reflection has thrown. */
final class Thrown {

  private Thrown() {}

  /**
   * The exception itself.
   *
   * @throws Error if it is one
   */
  static Exception by(InvocationTargetException thrown) {
    return switch (thrown.getCause()) {
      case Error error -> throw error;
      case Exception failure -> failure;
      default -> thrown;
    };
  }
}
