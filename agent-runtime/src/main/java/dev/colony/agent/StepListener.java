package dev.colony.agent;

import java.time.Duration;

/** Is told about steps as they complete; called on the agents' own threads, so it must be quick. */
@FunctionalInterface
public interface StepListener {

  /** Hears nothing. */
  StepListener NONE = (agent, took) -> {};

  /**
   * A step's outcome is durable.
   *
   * @param took from the step's beginning on this node to the acknowledgement of its last record
   */
  void stepCompleted(AgentId agent, Duration took);
}
