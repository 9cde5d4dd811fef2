package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.inference.InferenceReply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The current step of a run. Of intended, parked and ended at most one is present.
 *
 * @param asked the model's calls that have begun and are not answered, by their names
 * @param replies the model's within the step, by the calls' names
 * @param events for the step
 * @param intended the external action that may have started within the step
 * @param parked why the step waits
 * @param ended the run's end, while its result waits to be published
 * @param capacityWait since when the step has waited for room on a node, if it has
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Turn(
    Map<String, Asked> asked,
    Map<String, InferenceReply> replies,
    List<EventBatch> events,
    Optional<Intended> intended,
    Optional<Parked> parked,
    Optional<AgentRun> ended,
    Optional<Instant> capacityWait) {

  static final Turn FIRST =
      new Turn(
          Map.of(),
          Map.of(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  public Turn {
    asked = asked == null ? Map.of() : Map.copyOf(asked);
    replies = replies == null ? Map.of() : Map.copyOf(replies);
    events = events == null ? List.of() : List.copyOf(events);
    intended = intended == null ? Optional.empty() : intended;
    parked = parked == null ? Optional.empty() : parked;
    ended = ended == null ? Optional.empty() : ended;
    capacityWait = capacityWait == null ? Optional.empty() : capacityWait;
  }

  Turn asked(String name, Asked call) {
    Map<String, Asked> more = new HashMap<>(asked);
    more.put(name, call);
    return new Turn(more, replies, events, intended, parked, ended, capacityWait);
  }

  Turn answered(String name, InferenceReply reply) {
    Map<String, Asked> open = new HashMap<>(asked);
    open.remove(name);
    Map<String, InferenceReply> more = new HashMap<>(replies);
    more.put(name, reply);
    return new Turn(open, more, events, intended, parked, ended, capacityWait);
  }

  Turn intended(Intended action) {
    return new Turn(asked, replies, events, Optional.of(action), parked, ended, capacityWait);
  }

  /** With events, which a step that was parked need not wait for any longer. */
  Turn delivered(List<EventBatch> batches) {
    List<EventBatch> more = new ArrayList<>(events);
    more.addAll(batches);
    return new Turn(asked, replies, more, intended, Optional.empty(), ended, capacityWait);
  }

  Turn capacityWait(Instant since) {
    return new Turn(asked, replies, events, intended, parked, ended, Optional.of(since));
  }

  /** Nothing but where the step begins. */
  static Turn begun(Optional<Parked> parked) {
    return parked.isEmpty()
        ? FIRST
        : new Turn(
            Map.of(),
            Map.of(),
            List.of(),
            Optional.empty(),
            parked,
            Optional.empty(),
            Optional.empty());
  }

  /** Nothing but the end. */
  static Turn last(AgentRun run) {
    return new Turn(
        Map.of(),
        Map.of(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(run),
        Optional.empty());
  }
}
