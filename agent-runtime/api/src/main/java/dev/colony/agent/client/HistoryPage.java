package dev.colony.agent.client;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A stretch of an agent's history.
 *
 * @param entries the oldest first
 * @param older where it goes on backwards; empty where the journal begins
 * @param newer where it goes on; there may be nothing yet
 */
public record HistoryPage(
    List<HistoryEntry> entries, Optional<HistoryPosition> older, HistoryPosition newer) {

  public HistoryPage {
    entries = List.copyOf(entries);
  }

  /**
   * Both stretches as one.
   *
   * @param before ends where this one begins
   */
  public HistoryPage joined(HistoryPage before) {
    List<HistoryEntry> both = new ArrayList<>(before.entries());
    both.addAll(entries);
    return new HistoryPage(both, before.older(), newer);
  }

  public List<StepView> steps() {
    return entries.stream().filter(StepView.class::isInstance).map(StepView.class::cast).toList();
  }

  /** Something of an agent's past: a step that it took, or another event of its life. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes({
    @JsonSubTypes.Type(StepView.class),
    @JsonSubTypes.Type(LifecycleEvent.Spawned.class),
    @JsonSubTypes.Type(LifecycleEvent.Claimed.class),
    @JsonSubTypes.Type(LifecycleEvent.Forked.class),
    @JsonSubTypes.Type(LifecycleEvent.RunAccepted.class),
    @JsonSubTypes.Type(LifecycleEvent.RunCompleted.class),
    @JsonSubTypes.Type(LifecycleEvent.CancelRequested.class),
    @JsonSubTypes.Type(LifecycleEvent.StateChanged.class),
    @JsonSubTypes.Type(LifecycleEvent.ApprovalGiven.class),
    @JsonSubTypes.Type(LifecycleEvent.Rewound.class),
    @JsonSubTypes.Type(LifecycleEvent.RewindRefused.class),
    @JsonSubTypes.Type(LifecycleEvent.Rehomed.class),
    @JsonSubTypes.Type(LifecycleEvent.BlueprintRevised.class)
  })
  public sealed interface HistoryEntry permits StepView, LifecycleEvent {

    /** The number of the event that tells of it: the agent's state then can be asked for. */
    long sequenceNr();

    /** By the clock of the node that journaled it. */
    Instant at();

    /** The run that it belongs to, where it belongs to one and the journal tells. */
    Optional<RunId> run();
  }

  /**
   * A position between two events of an agent's journal, from which its history goes on in both
   * directions. Its {@link #token} is what a page hands out and a later call takes.
   *
   * @param sequenceNr of the event before it; 0 for the beginning
   * @param open the run that the next step after it belongs to; empty if that is not known
   */
  public record HistoryPosition(long sequenceNr, Optional<RunId> open) {

    public HistoryPosition {
      if (sequenceNr < 0) {
        throw new IllegalArgumentException("events are numbered from 1, not: " + sequenceNr);
      }
    }

    public static HistoryPosition after(long sequenceNr) {
      return new HistoryPosition(sequenceNr, Optional.empty());
    }

    /** In one word; {@link #parse} reads it back. */
    @JsonValue
    public String token() {
      return sequenceNr + open.map(run -> "@" + run.value()).orElse("");
    }

    /**
     * Reads a {@link #token} back; a number alone is right behind that event.
     *
     * @throws IllegalArgumentException if it is none
     */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static HistoryPosition parse(String token) {
      int at = token.indexOf('@');
      String number = at < 0 ? token : token.substring(0, at);
      if (!number.matches("\\d{1,18}")) {
        throw new IllegalArgumentException("no position in a history: " + token);
      }
      return new HistoryPosition(
          Long.parseLong(number),
          at < 0 ? Optional.empty() : Optional.of(new RunId(token.substring(at + 1))));
    }
  }

  /** What an agent's journal tells of its state right after one of its events. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes({
    @JsonSubTypes.Type(StateAt.Known.class),
    @JsonSubTypes.Type(StateAt.Unknown.class),
    @JsonSubTypes.Type(StateAt.NotYet.class),
    @JsonSubTypes.Type(StateAt.Forgotten.class)
  })
  public sealed interface StateAt {

    /** Its state right after the event of the number that was asked for. */
    @JsonTypeName("known")
    record Known(AgentView agent) implements StateAt {}

    /** The journal does not tell. */
    sealed interface Missing extends StateAt {

      AgentId agentId();
    }

    /** It has journaled nothing: there is no such agent, or it was never started. */
    @JsonTypeName("unknown")
    record Unknown(AgentId agentId) implements Missing {}

    /**
     * It has not come so far yet.
     *
     * @param last the number of its last event
     */
    @JsonTypeName("not-yet")
    record NotYet(AgentId agentId, long sequenceNr, long last) implements Missing {}

    /**
     * The journal does not reach back so far, see {@code colony.agent.history.keep}.
     *
     * @param oldest the first number that can be asked for
     */
    @JsonTypeName("forgotten")
    record Forgotten(AgentId agentId, long sequenceNr, long oldest) implements Missing {}

    /** The same for people; one line. */
    default String words() {
      return switch (this) {
        case Known known -> known.agent().agentId() + " is known at " + known.agent().sequenceNr();
        case Unknown unknown -> unknown.agentId() + " has journaled nothing";
        case NotYet later ->
            "%s has come to %d, not yet to %d"
                .formatted(later.agentId(), later.last(), later.sequenceNr());
        case Forgotten gone ->
            "the journal of %s reaches back to %d only, not to %d"
                .formatted(gone.agentId(), gone.oldest(), gone.sequenceNr());
      };
    }
  }
}
