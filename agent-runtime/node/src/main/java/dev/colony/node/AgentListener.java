package dev.colony.node;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Struggle;
import dev.colony.vcm.schedule.lease.LeaseCounts;
import java.time.Duration;

/**
 * Is told how the agents of a node fare: which of them are in memory and in which state, and what
 * becomes of their runs. A node offers it among its {@link NodePorts}. Called on the agents' own
 * threads, so it must be quick; calls of one agent come in their order. Thread-safe.
 */
public interface AgentListener {

  AgentListener NONE = new AgentListener() {};

  /**
   * An agent was read from its journal.
   *
   * @param took from the start of its actor until the whole journal was read
   */
  default void recovered(Duration took) {}

  /** An agent is in memory from here on. */
  default void arrived(AgentState state) {}

  /** An agent that is in memory is in another state. */
  default void moved(AgentState from, AgentState to) {}

  /** An agent is in memory no more: put away, idle for long, or at home elsewhere. */
  default void left(AgentState state) {}

  /** An agent has journaled that it will execute a run that a caller asked for. */
  default void runAccepted() {}

  /**
   * A run has ended, and its result is where callers find it. A crash right before this may have it
   * told twice.
   *
   * @param woken whether events have started it, so that no caller waits for it
   */
  default void runEnded(AgentRun run, boolean woken) {}

  /** The difficulty of a run was made known. */
  default void struggled(Struggle.Kind kind) {}

  /**
   * What has had its time was removed, as the one node of the cluster that looks for it says.
   *
   * @param count at least 1
   */
  default void removed(Remains what, int count) {}

  /** What is removed when its time is over, beside entries with a time to live of their own. */
  enum Remains {
    /** An agent that has stopped or failed, with its journal. */
    AGENT,
    /** A session, with its totals. */
    SESSION,
    /** A scope in which nothing is left. */
    SCOPE,
    /** What lay outside Redis, and nothing referred to. */
    PAYLOAD
  }

  /**
   * How the leases of all agents stand, as the node that grants them says several times a second.
   */
  default void leases(LeaseCounts counts) {}

  /**
   * A step that was cut off asks a model for what it may have been answered before; its call has
   * the same key.
   */
  default void modelAskedAgain() {}

  /** An agent's pages have gone from the last cache that held them. */
  default void pagesLost() {}

  /**
   * Is told about steps as they complete, and of agents that go on; called on the agents' own
   * threads, so it must be quick.
   */
  @FunctionalInterface
  public interface StepListener {

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
}
