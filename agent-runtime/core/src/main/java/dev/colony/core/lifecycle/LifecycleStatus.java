package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentState;
import dev.colony.agent.Suspension;
import dev.colony.blackboard.Position;
import java.util.Optional;

/**
 * Where an agent stands in its life.
 *
 * @param announced the state that the directory was told last; it is told of the end only
 * @param reason why it is suspended, unloaded or at its end, one line; empty otherwise
 * @param suspension of an agent that is SUSPENDED or UNLOADED, and of no other
 * @param suspensions how many there have been, that one included
 * @param entered whether the suspension is in the index of those that wait
 * @param lastSignal where in its own scope the signal stands that was applied last; see {@link
 *     AgentCommand.Apply}
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record LifecycleStatus(
    AgentState state,
    AgentState announced,
    Optional<String> reason,
    Optional<Suspension> suspension,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) long suspensions,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean entered,
    Optional<Position> lastSignal) {

  static final LifecycleStatus UNBORN =
      new LifecycleStatus(
          AgentState.INITIALIZED,
          AgentState.INITIALIZED,
          Optional.empty(),
          Optional.empty(),
          0,
          false,
          Optional.empty());

  public LifecycleStatus {
    reason = reason == null ? Optional.empty() : reason;
    suspension = suspension == null ? Optional.empty() : suspension;
    lastSignal = lastSignal == null ? Optional.empty() : lastSignal;
  }

  /** Whether an agent in this state is put away. */
  static boolean away(AgentState state) {
    return state == AgentState.SUSPENDED || state == AgentState.UNLOADED;
  }

  /** In another state, or in the same for another reason. */
  LifecycleStatus moved(AgentState to, String why, Optional<Suspension> into) {
    boolean keeps = away(to) || to.terminal();
    return new LifecycleStatus(
        to,
        announced,
        Optional.of(why).filter(text -> keeps && !text.isEmpty()),
        into,
        into.map(Suspension::number).orElse(suspensions),
        false,
        lastSignal);
  }

  /** Moved by its own work; why it stands where it does is not touched. */
  LifecycleStatus worked(AgentState to) {
    return new LifecycleStatus(to, announced, reason, suspension, suspensions, entered, lastSignal);
  }

  LifecycleStatus announced(AgentState told) {
    return new LifecycleStatus(state, told, reason, suspension, suspensions, entered, lastSignal);
  }

  LifecycleStatus known() {
    return new LifecycleStatus(state, announced, reason, suspension, suspensions, true, lastSignal);
  }

  LifecycleStatus lastSignal(Position signal) {
    return new LifecycleStatus(
        state, announced, reason, suspension, suspensions, entered, Optional.of(signal));
  }

  /** Whether the signal there was applied, or a later one. */
  boolean overtakes(Position signal) {
    return lastSignal.filter(last -> signal.compareTo(last) <= 0).isPresent();
  }

  /** Whether the suspension is still to be entered into the index of those that wait. */
  boolean unknown() {
    return !entered && suspension.flatMap(Suspension::until).isPresent();
  }
}
