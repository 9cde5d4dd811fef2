package dev.colony.agent.action;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.inference.Usage;
import java.util.List;
import java.util.Optional;

/**
 * What became of an action.
 *
 * @param output what it returned; JSON null where it did not succeed; where it is too large for the
 *     journal, a preview, the whole being at {@code stored}
 * @param error why it did not succeed, one line for the planner; empty where it did
 * @param stored the key, in the namespace {@code results} of the agent's own scope, of an output
 *     that is too large for the journal; kept for {@code colony.agent.action.keep}
 * @param blockingAgentIds the agents that a blocked action waits for
 * @param usage tokens of the model calls that it made
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ActionResult(
    String actionId,
    Status status,
    @JsonInclude JsonNode output,
    String error,
    Optional<String> stored,
    List<AgentId> blockingAgentIds,
    @JsonInclude(JsonInclude.Include.NON_NULL) Usage usage) {

  /** How an action ends. */
  public enum Status {
    SUCCEEDED,
    /** The executor failed. */
    FAILED,
    /** It was not executed: unknown, not allowed, or its parameters do not fit. */
    REFUSED,
    /** It cannot go on until something else has happened. */
    BLOCKED,
    /** It took longer than it may. */
    TIMED_OUT,
    /** Somebody cancelled it. */
    CANCELLED,
    /** A crash hid whether it took effect, and it says that it must not be repeated. */
    INTERRUPTED
  }

  public ActionResult {
    output = output == null ? JsonNodeFactory.instance.nullNode() : output;
    error = error == null ? "" : error;
    stored = stored == null ? Optional.empty() : stored;
    blockingAgentIds = blockingAgentIds == null ? List.of() : List.copyOf(blockingAgentIds);
    usage = usage == null ? Usage.NONE : usage;
  }

  public static ActionResult succeeded(String actionId, JsonNode output) {
    return new ActionResult(
        actionId, Status.SUCCEEDED, output, "", Optional.empty(), List.of(), Usage.NONE);
  }

  /** One that did not succeed. */
  public static ActionResult unsuccessful(String actionId, Status status, String error) {
    if (status == Status.SUCCEEDED) {
      throw new IllegalArgumentException("a success has no error: " + error);
    }
    return new ActionResult(actionId, status, null, error, Optional.empty(), List.of(), Usage.NONE);
  }

  public static ActionResult failed(String actionId, String error) {
    return unsuccessful(actionId, Status.FAILED, error);
  }

  public static ActionResult interrupted(String actionId) {
    return unsuccessful(actionId, Status.INTERRUPTED, "a crash hid whether it took effect");
  }

  public static ActionResult blocked(String actionId, String reason, List<AgentId> on) {
    return new ActionResult(
        actionId, Status.BLOCKED, null, reason, Optional.empty(), on, Usage.NONE);
  }

  public boolean success() {
    return status == Status.SUCCEEDED;
  }

  public boolean blocked() {
    return status == Status.BLOCKED;
  }

  public ActionResult usage(Usage used) {
    return new ActionResult(actionId, status, output, error, stored, blockingAgentIds, used);
  }

  /** The same with the whole output elsewhere and a preview here. */
  public ActionResult stored(String key, JsonNode preview) {
    return new ActionResult(
        actionId, status, preview, error, Optional.of(key), blockingAgentIds, usage);
  }
}
