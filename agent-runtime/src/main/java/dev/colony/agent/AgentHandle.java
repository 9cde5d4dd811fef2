package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An agent, seen from anywhere: inside the cluster or from any process that reaches the blackboard.
 * Thread-safe; no call blocks.
 */
public interface AgentHandle {

  AgentId id();

  /**
   * Asks the agent to run. The request is stored before anything else happens and survives the
   * asker; the same run id asked for twice is one run.
   *
   * @throws IllegalArgumentException if the input is larger than a request may be
   */
  RunHandle run(JsonNode input, RunOptions options);

  /** A run that was asked for before, by whomever. */
  RunHandle attach(RunId runId, RunOptions options);
}
