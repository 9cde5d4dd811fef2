package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;

/** What an executing action knows and may do. */
public interface ActionContext {

  AgentId agent();

  RunRequest request();

  /** The same for every execution of this action, whatever crashed in between. */
  String idempotencyKey();

  /**
   * Makes something known to whoever follows the run, at least once. Blocks until it is stored.
   *
   * @param name 1 to 64 characters of {@code [A-Za-z0-9._~-]}
   */
  void emit(String name, JsonNode data);

  /** Whether the agent has left this node: the outcome will not be used. */
  boolean cancelled();
}
