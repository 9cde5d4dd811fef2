package dev.colony.node;

import dev.colony.agent.AgentId;
import java.time.Duration;

/**
 * Is told about steps as they complete, and of agents that go on; called on the agents' own
 * threads, so it must be quick.
 */
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

  /** It is durable that an agent has gone on after a suspension. */
  default void resumed(AgentId agent) {}

  /** Tells another one too, after this one. */
  default StepListener and(StepListener other) {
    StepListener first = this;
    return new StepListener() {
      @Override
      public void stepCompleted(AgentId agent, Duration took) {
        first.stepCompleted(agent, took);
        other.stepCompleted(agent, took);
      }

      @Override
      public void resumed(AgentId agent) {
        first.resumed(agent);
        other.resumed(agent);
      }
    };
  }
}
