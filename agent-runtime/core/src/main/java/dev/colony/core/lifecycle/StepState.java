package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.core.lifecycle.ActiveRun.Asked;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.inference.InferenceReply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The current step of a run. Of intended, blocked and ended at most one is present, and beside
 * actions that are journaled none of them.
 *
 * @param asked the model's calls that have begun and are not answered, by their names
 * @param replies the model's within the step, by the calls' names
 * @param events for the step
 * @param intended the external action that may have started within the step, where it is the only
 *     one
 * @param actions those of a step that has several
 * @param blocked why the step waits
 * @param ended the run's end, while its result waits to be published
 * @param capacityWait since when the step has waited for room on a node, if it has
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record StepState(
    Map<String, Asked> asked,
    Map<String, InferenceReply> replies,
    List<EventBatch> events,
    Optional<Intended> intended,
    StepActions actions,
    Optional<Blocked> blocked,
    Optional<AgentRun> ended,
    Optional<Instant> capacityWait) {

  static final StepState FIRST = new StepState(null, null, null, null, null, null, null, null);

  public StepState {
    // What is empty is left out where it is stored.
    asked = asked == null ? Map.of() : Map.copyOf(asked);
    replies = replies == null ? Map.of() : Map.copyOf(replies);
    events = events == null ? List.of() : List.copyOf(events);
    intended = intended == null ? Optional.empty() : intended;
    actions = actions == null || actions.none() ? StepActions.NONE : actions;
    blocked = blocked == null ? Optional.empty() : blocked;
    ended = ended == null ? Optional.empty() : ended;
    capacityWait = capacityWait == null ? Optional.empty() : capacityWait;
  }

  StepState asked(String name, Asked call) {
    Map<String, Asked> more = new HashMap<>(asked);
    more.put(name, call);
    return new StepState(more, replies, events, intended, actions, blocked, ended, capacityWait);
  }

  StepState answered(String name, InferenceReply reply) {
    Map<String, Asked> open = new HashMap<>(asked);
    open.remove(name);
    Map<String, InferenceReply> more = new HashMap<>(replies);
    more.put(name, reply);
    return new StepState(open, more, events, intended, actions, blocked, ended, capacityWait);
  }

  StepState failed(String name) {
    Map<String, Asked> open = new HashMap<>(asked);
    open.remove(name);
    return new StepState(open, replies, events, intended, actions, blocked, ended, capacityWait);
  }

  StepState intended(Intended action) {
    return new StepState(
        asked, replies, events, Optional.of(action), actions, blocked, ended, capacityWait);
  }

  StepState actions(StepActions next) {
    return new StepState(asked, replies, events, intended, next, blocked, ended, capacityWait);
  }

  /** With events, which a step that was blocked need not wait for any longer. */
  StepState delivered(List<EventBatch> batches) {
    List<EventBatch> more = new ArrayList<>(events);
    more.addAll(batches);
    return new StepState(
        asked, replies, more, intended, actions, Optional.empty(), ended, capacityWait);
  }

  StepState capacityWait(Instant since) {
    return new StepState(
        asked, replies, events, intended, actions, blocked, ended, Optional.of(since));
  }

  /** Nothing but where the step begins. */
  static StepState begun(Optional<Blocked> blocked) {
    return blocked.isEmpty()
        ? FIRST
        : new StepState(null, null, null, null, null, blocked, null, null);
  }

  /** Nothing but the end. */
  static StepState last(AgentRun run) {
    return new StepState(null, null, null, null, null, null, Optional.of(run), null);
  }
}
