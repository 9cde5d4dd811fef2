package dev.colony.agent.stream;

import java.util.List;

/** Decides shape: how a stream stands in a prompt. Pure; registered and bound as a blueprint. */
@FunctionalInterface
public interface ConsciousnessStreamFormatter {

  /** A markdown section, or the empty string for none. */
  String format(List<StreamEntry> entries);
}
