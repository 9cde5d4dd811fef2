package dev.colony.agent.stream;

import java.util.List;
import java.util.function.UnaryOperator;

/** Decides shape: how a stream stands in a prompt. Pure; registered and bound as a blueprint. */
@FunctionalInterface
public interface ConsciousnessStreamFormatter {

  /** A markdown section, or the empty string for none. */
  String format(List<StreamEntry> entries);

  /**
   * The same for a model that calls actions by other names than their keys.
   *
   * @param named puts these names in the place of keys, in a key or a text of the runtime
   */
  default String format(List<StreamEntry> entries, UnaryOperator<String> named) {
    return format(entries);
  }
}
