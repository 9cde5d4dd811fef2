package dev.colony.agent.lifecycle;

import dev.colony.agent.AgentState;
import java.util.Optional;

/**
 * Moves an agent from one state to another where it is told to: as the table says, but for what the
 * table cannot know, namely what only follows from work and why the agent is suspended.
 */
final class StateMove {

  private StateMove() {}

  /** What a signal leads to. */
  static Verdict decide(AgentSnapshot state, AgentCommand.Transition transition) {
    LifecycleCommand command = transition.command();
    if (command.implied()) {
      return new Verdict.Refused(command + " follows from the agent's work and cannot be given");
    }
    AgentState from = state.state();
    boolean byCommand = from == AgentState.SUSPENDED && !state.evicted();
    if (byCommand && command == LifecycleCommand.SUSPEND) {
      return new Verdict.Repeated();
    }
    if (byCommand && command == LifecycleCommand.PAGES_AVAILABLE) {
      return new Verdict.Refused("the agent was suspended by command: it waits to be resumed");
    }
    return switch (Transitions.of(from, command, state.kind())) {
      case Transition.Refused refused -> new Verdict.Refused(refused.reason());
      case Transition.To to -> {
        AgentEvent.Transitioned moved =
            new AgentEvent.Transitioned(
                command,
                from,
                to.to(state.active().isPresent()),
                Brief.line(transition.reason()),
                0,
                transition.at());
        int left = apply(state, moved).left();
        yield Verdict.journal(
            new AgentEvent.Transitioned(
                command, from, moved.to(), moved.reason(), left, transition.at()));
      }
    };
  }

  /** The state after such a move. */
  static AgentSnapshot apply(AgentSnapshot state, AgentEvent.Transitioned moved) {
    boolean waits =
        switch (moved.to()) {
          case SUSPENDED, UNLOADED, STOPPED, FAILED -> true;
          case INITIALIZED, RUNNING, WAITING, LOADED, IDLE -> false;
        };
    Optional<String> reason = Optional.of(moved.reason()).filter(why -> waits && !why.isEmpty());
    boolean evicted =
        moved.to() == AgentState.SUSPENDED && moved.command() == LifecycleCommand.PAGES_EVICTED;
    AgentSnapshot next = state.moved(moved.to(), reason, evicted);
    // Whoever goes on is asked again, whatever it waited for.
    return moved.to() == AgentState.RUNNING ? next.active(resumed(next)) : next;
  }

  private static ActiveRun resumed(AgentSnapshot state) {
    return state
        .active()
        .orElseThrow(() -> new IllegalStateException("RUNNING without an accepted run"))
        .unparked();
  }
}
