package dev.colony.agent.view;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.AgentId;

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
