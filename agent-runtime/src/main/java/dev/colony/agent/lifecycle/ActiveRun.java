package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How far the run at the head of the queue has come. Of intended, parked and ended at most one is
 * present. Immutable; nobody may change {@code custom}.
 *
 * @param history the actions of the completed steps, the newest of them in a run of very many
 * @param custom the policy's own entries
 * @param session in which the run is now
 * @param replies the model's within the current step, by the calls' names
 * @param events for the current step
 * @param intended the external action that may have started within the current step
 * @param parked why the next step waits
 * @param ended the run's end, while its result waits to be published
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ActiveRun(
    RunStats stats,
    Calls history,
    ObjectNode custom,
    Optional<SessionId> session,
    Map<String, InferenceReply> replies,
    List<EventBatch> events,
    Optional<Intended> intended,
    Optional<Parked> parked,
    Optional<AgentRun> ended) {

  public ActiveRun {
    history = history == null ? Calls.none() : history;
    custom = custom == null ? JsonNodeFactory.instance.objectNode() : custom;
    session = session == null ? Optional.empty() : session;
    replies = replies == null ? Map.of() : Map.copyOf(replies);
    events = events == null ? List.of() : List.copyOf(events);
    intended = intended == null ? Optional.empty() : intended;
    parked = parked == null ? Optional.empty() : parked;
    ended = ended == null ? Optional.empty() : ended;
  }

  /** One that nothing has come of yet; what started it is its first event, if events did. */
  static ActiveRun begun(RunRequest request) {
    return new ActiveRun(
        RunStats.NONE,
        Calls.none(),
        null,
        request.context().session(),
        Map.of(),
        EventBatch.of(request).map(List::of).orElse(List.of()),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Whether its policy may be asked for the next step or is being asked. */
  boolean iterating() {
    return intended.isEmpty() && parked.isEmpty() && ended.isEmpty();
  }

  /** Whether the current step has left nothing in the journal yet. */
  boolean betweenSteps() {
    return replies.isEmpty() && intended.isEmpty() && ended.isEmpty();
  }

  /** Whether nothing has come of it yet. */
  boolean untouched() {
    return stats.steps() == 0 && betweenSteps();
  }

  ActiveRun answered(String name, InferenceReply reply, boolean paged, BigDecimal cost) {
    boolean first = paged && stats.placementHits() + stats.placementMisses() == 0;
    RunStats call =
        new RunStats(
            0,
            1,
            reply.usage(),
            first && reply.resident() ? 1 : 0,
            first && !reply.resident() ? 1 : 0,
            cost);
    Map<String, InferenceReply> more = new HashMap<>(replies);
    more.put(name, reply);
    return new ActiveRun(
        stats.plus(call), history, custom, session, more, events, intended, parked, ended);
  }

  ActiveRun intended(Intended action) {
    return new ActiveRun(
        stats, history, custom, session, replies, events, Optional.of(action), parked, ended);
  }

  /**
   * @param windowBytes how much of its actions the run keeps
   */
  ActiveRun stepped(AgentEvent.StepCompleted step, long windowBytes) {
    Usage usage = step.call().map(call -> call.result().usage()).orElse(Usage.NONE);
    RunStats taken = new RunStats(1, 0, usage, 0, 0, step.cost().orElse(BigDecimal.ZERO));
    return new ActiveRun(
        stats.plus(taken),
        step.call().map(call -> history.plus(call).newest(windowBytes)).orElse(history),
        changed(step.delta().custom()),
        step.delta().session().or(() -> session),
        Map.of(),
        List.of(),
        Optional.empty(),
        step.parked(),
        Optional.empty());
  }

  /** The entries with some of them changed; JSON null takes one away. */
  ObjectNode changed(ObjectNode changes) {
    if (changes.isEmpty()) {
      return custom;
    }
    ObjectNode next = JsonNodeFactory.instance.objectNode();
    next.setAll(custom);
    for (Map.Entry<String, JsonNode> change : changes.properties()) {
      if (change.getValue().isNull()) {
        next.remove(change.getKey());
      } else {
        next.set(change.getKey(), change.getValue());
      }
    }
    return next;
  }

  /** The same with an event for the next step, which need not wait any longer. */
  ActiveRun delivered(EventBatch batch) {
    List<EventBatch> more = new ArrayList<>(events);
    more.add(batch);
    return new ActiveRun(
        stats, history, custom, session, replies, more, intended, Optional.empty(), ended);
  }

  ActiveRun unparked() {
    return new ActiveRun(
        stats, history, custom, session, replies, events, intended, Optional.empty(), ended);
  }

  /** At its end; what only further steps would need is let go. */
  ActiveRun ended(AgentRun run) {
    return new ActiveRun(
        stats,
        Calls.none(),
        null,
        session,
        Map.of(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(run));
  }
}
