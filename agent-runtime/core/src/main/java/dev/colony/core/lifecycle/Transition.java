package dev.colony.core.lifecycle;

import dev.colony.agent.AgentState;

/** What the table says about a command in a state. */
public sealed interface Transition {

  /**
   * It is carried out.
   *
   * @param resting where it leads an agent without work
   * @param working where it leads one with work
   */
  record To(AgentState resting, AgentState working) implements Transition {

    AgentState to(boolean work) {
      return work ? working : resting;
    }
  }

  /** It is not; the reason is one line for people. */
  record Refused(String reason) implements Transition {}
}
