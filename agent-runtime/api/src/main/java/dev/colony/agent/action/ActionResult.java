package dev.colony.agent.action;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What became of an action.
 *
 * @param output what it returned; JSON null where it did not succeed; where it is too large for the
 *     journal, a preview, the whole being at {@code stored}
 * @param error why it did not succeed, one line for the planner, well-formed; empty where it did
 * @param stored the key, in the namespace {@code results} of the agent's own scope, of an output
 *     that is too large for the journal; kept for 30 days
 * @param blockingAgentIds the agents that a blocked action waits for
 * @param until what a blocked action waits for; empty if that is the agents, or cannot be said
 * @param usage tokens of the model calls that it made
 * @param models which models answered those, each once, and what of {@code usage} is theirs
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ActionResult(
    String actionId,
    Status status,
    @JsonInclude JsonNode output,
    String error,
    Optional<String> stored,
    List<AgentId> blockingAgentIds,
    Optional<ResumptionCondition> until,
    @JsonInclude(JsonInclude.Include.NON_NULL) Usage usage,
    List<ModelUse> models) {

  /**
   * What a model was used for.
   *
   * @param model by the server's name for it
   * @param entry its name in {@code colony.inference.models}; empty for the one that has none
   */
  public record ModelUse(
      String model, @JsonInclude(JsonInclude.Include.NON_EMPTY) String entry, Usage usage) {

    public ModelUse {
      entry = entry == null ? "" : entry;
    }

    /** As {@link InferenceReply#answeredBy} has it. */
    public String answeredBy() {
      return InferenceReply.answeredBy(entry, model);
    }
  }

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
    /** A caller or an operator cancelled it. */
    CANCELLED,
    /** A crash hid whether it took effect, and it says that it must not be repeated. */
    INTERRUPTED
  }

  public ActionResult {
    // The journal leaves out what is empty.
    actionId = actionId == null ? "" : actionId;
    output = output == null ? JsonNodeFactory.instance.nullNode() : output;
    error = error == null ? "" : Text.wellFormed(error);
    stored = stored == null ? Optional.empty() : stored;
    blockingAgentIds = blockingAgentIds == null ? List.of() : List.copyOf(blockingAgentIds);
    until = until == null ? Optional.empty() : until;
    usage = usage == null ? Usage.NONE : usage;
    models = models == null ? List.of() : List.copyOf(models);
  }

  public static ActionResult succeeded(String actionId, JsonNode output) {
    return of(actionId, Status.SUCCEEDED, output, "", List.of(), Optional.empty());
  }

  /** One that did not succeed. */
  public static ActionResult unsuccessful(String actionId, Status status, String error) {
    if (status == Status.SUCCEEDED) {
      throw new IllegalArgumentException("a success has no error: " + error);
    }
    return of(actionId, status, null, error, List.of(), Optional.empty());
  }

  public static ActionResult failed(String actionId, String error) {
    return unsuccessful(actionId, Status.FAILED, error);
  }

  public static ActionResult interrupted(String actionId) {
    return unsuccessful(actionId, Status.INTERRUPTED, "a crash hid whether it took effect");
  }

  /** One that cannot go on until these agents have ended; until who knows what, for none. */
  public static ActionResult blocked(String actionId, String reason, List<AgentId> on) {
    return of(actionId, Status.BLOCKED, null, reason, on, Optional.empty());
  }

  /** One that cannot go on until something has happened. */
  public static ActionResult blocked(String actionId, String reason, ResumptionCondition until) {
    return of(actionId, Status.BLOCKED, null, reason, List.of(), Optional.of(until));
  }

  private static ActionResult of(
      String actionId,
      Status status,
      JsonNode output,
      String error,
      List<AgentId> on,
      Optional<ResumptionCondition> until) {
    return new ActionResult(
        actionId, status, output, error, Optional.empty(), on, until, Usage.NONE, List.of());
  }

  public boolean success() {
    return status == Status.SUCCEEDED;
  }

  public boolean blocked() {
    return status == Status.BLOCKED;
  }

  public ActionResult usage(Usage used) {
    return new ActionResult(
        actionId, status, output, error, stored, blockingAgentIds, until, used, models);
  }

  /** The same of an action with another id, which has asked no model. */
  public ActionResult as(String otherId) {
    return new ActionResult(
        otherId, status, output, error, stored, blockingAgentIds, until, Usage.NONE, List.of());
  }

  /** The same with what more it has used, and of which models. */
  public ActionResult used(Usage more, List<ModelUse> of) {
    return new ActionResult(
        actionId,
        status,
        output,
        error,
        stored,
        blockingAgentIds,
        until,
        usage.plus(more),
        Stream.concat(models.stream(), of.stream()).toList());
  }

  /** The same, waiting for that. */
  public ActionResult until(ResumptionCondition condition) {
    return new ActionResult(
        actionId,
        status,
        output,
        error,
        stored,
        blockingAgentIds,
        Optional.of(condition),
        usage,
        models);
  }

  /** The same with the whole output elsewhere and a preview here. */
  public ActionResult stored(String key, JsonNode preview) {
    return new ActionResult(
        actionId, status, preview, error, Optional.of(key), blockingAgentIds, until, usage, models);
  }

  /**
   * The actions of a run, the oldest first, found by their ids at a cost that does not grow with
   * their number. Immutable; thread-safe.
   */
  public interface ActionHistory extends List<ActionCall> {

    /** The action of exactly this id; empty if it is not among them. Constant cost. */
    Optional<ActionCall> call(String actionId);

    /**
     * The latest of the executions of an action: its repetitions under {@link Action#next}
     * included. Empty if there is none. Constant cost.
     */
    Optional<ActionCall> latest(String actionId);

    /**
     * Those that asked for a person's answer and were not dispatched again since, in the order in
     * which they asked first. Cost: linear in how many of the run's actions have asked.
     */
    List<ActionCall> pending();
  }
}
