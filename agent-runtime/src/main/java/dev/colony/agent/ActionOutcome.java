package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * What became of an action; durable before the policy sees it.
 *
 * @param result what the executor returned; JSON null where it did not succeed
 * @param error why it did not succeed, one line; empty where it did
 */
public record ActionOutcome(
    String actionId,
    Status status,
    JsonNode result,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) String error) {

  /** How an action ends. */
  public enum Status {
    SUCCEEDED,
    /** The executor refused or failed. */
    FAILED,
    /** A crash hid whether it took effect, and it says that it must not be repeated. */
    INTERRUPTED
  }

  public ActionOutcome {
    result = result == null ? JsonNodeFactory.instance.nullNode() : result;
    error = error == null ? "" : error;
  }

  public static ActionOutcome succeeded(String actionId, JsonNode result) {
    return new ActionOutcome(actionId, Status.SUCCEEDED, result, "");
  }

  public static ActionOutcome failed(String actionId, String error) {
    return new ActionOutcome(actionId, Status.FAILED, null, error);
  }

  public static ActionOutcome interrupted(String actionId) {
    return new ActionOutcome(
        actionId, Status.INTERRUPTED, null, "a crash hid whether it took effect");
  }

  public boolean succeeded() {
    return status == Status.SUCCEEDED;
  }
}
