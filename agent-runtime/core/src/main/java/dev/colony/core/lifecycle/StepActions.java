package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.value.Text;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The actions of a step that has several, each of them durable by itself. Immutable.
 *
 * @param begun the external ones that have begun and not ended, by their ids
 * @param ended the calls that have ended, in that order
 * @param approvals the people's answers that they have used up, by the ids of the actions
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record StepActions(
    Map<String, Begun> begun, SharedActionHistory ended, Map<String, String> approvals) {

  public static final StepActions NONE =
      new StepActions(Map.of(), SharedActionHistory.none(), Map.of());

  /** Of an error that tells why a call is not kept. */
  private static final int ERROR_CHARS = 400;

  /**
   * An external action that may have started.
   *
   * @param action its references resolved
   * @param retryable whether it may be executed again under the same idempotency key
   * @param incarnation which has begun it last
   */
  public record Begun(Action action, boolean retryable, long incarnation) {

    public Begun {
      Objects.requireNonNull(action, "action");
    }
  }

  public StepActions {
    begun = begun == null ? Map.of() : Map.copyOf(begun);
    ended = ended == null ? SharedActionHistory.none() : ended;
    approvals = approvals == null ? Map.of() : Map.copyOf(approvals);
  }

  @JsonIgnore
  public boolean none() {
    return begun.isEmpty() && ended.isEmpty();
  }

  int count() {
    return begun.size() + ended.size();
  }

  /** Whether this incarnation executes an external one: it is not cut off. */
  boolean underWay(long incarnation) {
    for (Begun one : begun.values()) {
      if (one.incarnation() == incarnation) {
        return true;
      }
    }
    return false;
  }

  boolean contains(String actionId) {
    return begun.containsKey(actionId) || ended.contains(actionId);
  }

  /** With an external one that begins, or is executed again. */
  public StepActions begun(Begun open, Optional<String> approval) {
    String id = open.action().actionId();
    Map<String, Begun> more = new HashMap<>(begun);
    more.put(id, open);
    return new StepActions(more, ended, approvals(id, approval));
  }

  /** With the end of one, which need not have begun in the journal. */
  public StepActions ended(ActionCall call, Optional<String> approval) {
    String id = call.action().actionId();
    Map<String, Begun> open = new HashMap<>(begun);
    open.remove(id);
    return new StepActions(open, ended.plus(call), approvals(id, approval));
  }

  private Map<String, String> approvals(String actionId, Optional<String> approval) {
    if (approval.isEmpty()) {
      return approvals;
    }
    Map<String, String> more = new HashMap<>(approvals);
    more.put(actionId, approval.get());
    return more;
  }

  /**
   * The call as it can be journaled beside these: itself, or where it is too large or cannot be
   * written, a failed one in its place that says why.
   */
  public ActionCall fitting(ActionCall call, RunLimits limits) {
    return unfit(call, limits)
        .map(why -> {
          String id = Text.wellFormed(call.action().actionId());
          String key = Text.wellFormed(call.action().key());
          ActionResult result = call.result();
          ActionResult failed =
              ActionResult.failed(
                      id,
                      Text.head(
                          "it ended as %s, but %s".formatted(result.status(), why), ERROR_CHARS))
                  .used(result.usage(), result.models());
          return new ActionCall(Action.of(id, key, JsonNodeFactory.instance.objectNode()), failed);
        })
        .orElse(call);
  }

  /** Why a call cannot be journaled beside these, one line; empty if it can. */
  Optional<String> unfit(ActionCall call, RunLimits limits) {
    Optional<String> fault = StepFault.of(call);
    if (fault.isPresent()) {
      return fault;
    }
    if (StepSize.left(call, limits.maxOutputBytes()) < 0) {
      return Optional.of(
          "its record is larger than "
              + limits.maxOutputBytes()
              + " bytes, which is colony.agent.max-output");
    }
    boolean bare = call.action().params().isEmpty() && call.result().output().isNull();
    long bytes = bytes(call.action().actionId()) + StepSize.of(call);
    return bare || bytes <= limits.step().bytes()
        ? Optional.empty()
        : Optional.of(
            "the actions of a step take no more than " + limits.step().bytes() + " bytes");
  }

  /** Why an external action cannot begin beside these, one line; empty if it can. */
  Optional<String> unfit(Action action, RunLimits limits) {
    Optional<String> fault = StepFault.of(action, StepDelta.NONE);
    if (fault.isPresent()) {
      return fault;
    }
    long left = limits.step().bytes() - bytes(action.actionId());
    return JsonSize.left(action.params(), Math.min(left, limits.maxOutputBytes())) < 0
        ? Optional.of(
            "the actions of a step take no more than "
                + limits.step().bytes()
                + " bytes, and one no more than "
                + limits.maxOutputBytes())
        : Optional.empty();
  }

  /** How many bytes they take but for that one, about. */
  private long bytes(String but) {
    long bytes = ended.bytes();
    for (Map.Entry<String, Begun> open : begun.entrySet()) {
      bytes += open.getKey().equals(but) ? 0 : JsonSize.of(open.getValue().action().params());
    }
    return bytes;
  }
}
