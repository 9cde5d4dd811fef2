package dev.colony.node.faults;

import dev.colony.agent.AgentState;
import dev.colony.core.lifecycle.AgentEvent;
import java.util.ArrayList;
import java.util.List;

/** What one agent's journal holds; outlives every life. Thread-safe. */
final class JournalStore {

  /** An event as it was stored. */
  record Stored(long sequenceNr, int serializer, String manifest, byte[] bytes) {}

  private final List<Stored> stored = new ArrayList<>();
  private final List<AgentEvent> events = new ArrayList<>();
  private final List<List<String>> appends = new ArrayList<>();

  synchronized void append(List<Stored> batch, List<AgentEvent> same) {
    for (Stored one : batch) {
      if (one.sequenceNr() != stored.size() + 1) {
        throw new IllegalStateException(
            "event " + one.sequenceNr() + " after " + stored.size() + " of them");
      }
      stored.add(one);
    }
    events.addAll(same);
    appends.add(same.stream().map(event -> event.getClass().getSimpleName()).toList());
  }

  /** The names of the events of each append. */
  synchronized List<List<String>> appends() {
    return List.copyOf(appends);
  }

  synchronized List<Stored> stored() {
    return List.copyOf(stored);
  }

  synchronized List<AgentEvent> events() {
    return List.copyOf(events);
  }

  <E extends AgentEvent> List<E> events(Class<E> kind) {
    return events().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  List<String> names() {
    return events().stream().map(event -> event.getClass().getSimpleName()).toList();
  }

  boolean blocked() {
    return events(AgentEvent.StepCompleted.class).stream()
        .anyMatch(step -> step.blocked().isPresent());
  }

  /** How often the agent was put away. */
  long suspensions() {
    return moves(AgentState.SUSPENDED);
  }

  /** How often the agent has come to a state other than by its work. */
  long moves(AgentState to) {
    return events(AgentEvent.Transitioned.class).stream().filter(one -> one.to() == to).count();
  }

  boolean published() {
    return !events(AgentEvent.ResultPublished.class).isEmpty();
  }

  /** Whether what became of an action is journaled. */
  boolean completed(String actionId) {
    boolean ended =
        events(AgentEvent.ActionEnded.class).stream()
            .anyMatch(one -> one.call().action().actionId().equals(actionId));
    return ended
        || events(AgentEvent.StepCompleted.class).stream()
            .flatMap(step -> step.call().stream())
            .anyMatch(call -> call.action().actionId().equals(actionId));
  }

  boolean intended(String actionId) {
    return events(AgentEvent.ActionIntended.class).stream()
        .anyMatch(intent -> intent.action().actionId().equals(actionId));
  }

  /** Whether a model's reply is journaled, by the call's step and name as in {@code 2/plan}. */
  boolean answered(String call) {
    int step = 0;
    for (AgentEvent event : events()) {
      if (event instanceof AgentEvent.StepCompleted) {
        step++;
      } else if (event instanceof AgentEvent.ModelAnswered one
          && call.equals(step + "/" + one.name())) {
        return true;
      }
    }
    return false;
  }
}
