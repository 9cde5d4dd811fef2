package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;

/** Executes one kind of action. */
@FunctionalInterface
public interface ActionExecutor {

  /**
   * Runs on a virtual thread of its own and may block; it is interrupted when the agent leaves this
   * node. It may be executed again under the same idempotency key. A {@link
   * dev.colony.blackboard.BlackboardException} that is retryable makes the runtime try again; any
   * other exception is reported to the policy as a failed outcome.
   */
  JsonNode execute(ActionContext context, JsonNode params) throws Exception;
}
