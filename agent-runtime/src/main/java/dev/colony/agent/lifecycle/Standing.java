package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.colony.agent.AgentState;
import dev.colony.agent.suspension.Suspension;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.blackboard.Position;
import java.time.Instant;
import java.util.Optional;

/**
 * Where an agent stands in its life.
 *
 * @param announced the state that the directory was told last; it is told of the end only
 * @param reason why it is suspended, unloaded or at its end, one line; empty otherwise
 * @param suspension of an agent that is SUSPENDED or UNLOADED, and of no other
 * @param suspensions how many there have been, that one included
 * @param entered whether whoever resumes agents knows the suspension
 * @param heeded where in its own scope that was said of its life which was heeded last; see {@link
 *     AgentCommand.Heed}
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Standing(
    AgentState state,
    AgentState announced,
    Optional<String> reason,
    Optional<Suspension> suspension,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) long suspensions,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean entered,
    Optional<Position> heeded) {

  static final Standing UNBORN =
      new Standing(
          AgentState.INITIALIZED,
          AgentState.INITIALIZED,
          Optional.empty(),
          Optional.empty(),
          0,
          false,
          Optional.empty());

  public Standing {
    reason = reason == null ? Optional.empty() : reason;
    suspension = suspension == null ? Optional.empty() : suspension;
    heeded = heeded == null ? Optional.empty() : heeded;
  }

  /**
   * Also reads what was stored before suspensions had numbers.
   *
   * @param evicted whether the agent was suspended because its pages were evicted
   */
  @JsonCreator
  static Standing read(
      @JsonProperty("state") AgentState state,
      @JsonProperty("announced") AgentState announced,
      @JsonProperty("reason") Optional<String> reason,
      @JsonProperty("suspension") Optional<Suspension> suspension,
      @JsonProperty("suspensions") long suspensions,
      @JsonProperty("entered") boolean entered,
      @JsonProperty("heeded") Optional<Position> heeded,
      @JsonProperty("evicted") boolean evicted) {
    Standing read =
        new Standing(state, announced, reason, suspension, suspensions, entered, heeded);
    return read.suspension.isEmpty() && away(state)
        ? read.moved(
            state,
            read.reason.orElse(""),
            Optional.of(
                unnumbered(
                    suspensions,
                    evicted || state == AgentState.UNLOADED,
                    read.reason.orElse(""),
                    Instant.EPOCH)))
        : read;
  }

  /** What an event or a snapshot means that says nothing of the suspension. */
  static Suspension unnumbered(long suspensions, boolean evicted, String reason, Instant at) {
    return new Suspension(
        suspensions + 1,
        evicted ? SuspensionCause.PAGES : SuspensionCause.EXPLICIT,
        reason,
        Optional.empty(),
        at);
  }

  /** Whether an agent in this state is put away. */
  static boolean away(AgentState state) {
    return state == AgentState.SUSPENDED || state == AgentState.UNLOADED;
  }

  /** In another state, or in the same for another reason. */
  Standing moved(AgentState to, String why, Optional<Suspension> into) {
    boolean keeps = away(to) || to.terminal();
    return new Standing(
        to,
        announced,
        Optional.of(why).filter(text -> keeps && !text.isEmpty()),
        into,
        into.map(Suspension::number).orElse(suspensions),
        false,
        heeded);
  }

  /** Moved by its own work; why it stands where it does is not touched. */
  Standing worked(AgentState to) {
    return new Standing(to, announced, reason, suspension, suspensions, entered, heeded);
  }

  Standing announced(AgentState told) {
    return new Standing(state, told, reason, suspension, suspensions, entered, heeded);
  }

  Standing known() {
    return new Standing(state, announced, reason, suspension, suspensions, true, heeded);
  }

  Standing heeded(Position word) {
    return new Standing(
        state, announced, reason, suspension, suspensions, entered, Optional.of(word));
  }

  /** Whether what was said there was heeded, or something that was said later. */
  boolean overtakes(Position word) {
    return heeded.filter(last -> word.compareTo(last) <= 0).isPresent();
  }

  /** Whether whoever resumes agents is to be told of the suspension. */
  boolean unknown() {
    return !entered && suspension.flatMap(Suspension::until).isPresent();
  }
}
