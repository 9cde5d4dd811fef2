package dev.colony.blackboard.protocol;

import java.util.List;

/**
 * How parties speak to each other over a scope: which keys they use and what these mean.
 *
 * <p>A protocol has no state and a public constructor without arguments, because it is named by its
 * class where an annotation or a blueprint speaks of it. Its keys are built from {@link
 * KeyTemplate}s. Two protocols on one scope do not hear each other if the fixed texts at the
 * beginning of their keys differ.
 */
public interface Protocol {

  /**
   * What an agent that speaks the protocol listens to: the keys under which others address it.
   *
   * @param agent the agent's name within its colony, 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   * @throws IllegalArgumentException if the name is invalid
   */
  List<KeyGlob> inputPatterns(String agent);
}
