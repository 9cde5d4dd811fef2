package dev.colony.agent.inspect;

import dev.colony.agent.AgentId;

/** What a journal says of an agent as it was. */
public sealed interface Past {

  /** As it was right after the event of the number that was asked for. */
  record Known(InspectedAgent agent) implements Past {}

  /** It has journaled nothing: there is no such agent, or it was never started. */
  record Unknown(AgentId agent) implements Past {}

  /** It has not come so far yet. */
  record NotYet(AgentId agent, long sequenceNr, long last) implements Past {}

  /**
   * The journal does not reach back so far, see {@code colony.agent.history.keep}.
   *
   * @param oldest the first number that can be asked for
   */
  record Forgotten(AgentId agent, long sequenceNr, long oldest) implements Past {}

  /** What to tell people where it is not known; one line. */
  default String words() {
    return switch (this) {
      case Known known -> known.agent().id() + " is known at " + known.agent().events();
      case Unknown unknown -> unknown.agent() + " has journaled nothing";
      case NotYet later ->
          "%s has come to %d, not yet to %d"
              .formatted(later.agent(), later.last(), later.sequenceNr());
      case Forgotten gone ->
          "the journal of %s reaches back to %d only, not to %d"
              .formatted(gone.agent(), gone.oldest(), gone.sequenceNr());
    };
  }
}
