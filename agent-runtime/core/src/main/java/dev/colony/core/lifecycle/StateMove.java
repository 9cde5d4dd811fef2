package dev.colony.core.lifecycle;

import dev.colony.agent.AgentState;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.lifecycle.AgentSnapshot.Home;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import dev.colony.core.lifecycle.Transitions.Transition;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Moves an agent from one state to another where it is told to: as the table says, but for what the
 * table cannot know, namely what only follows from work, and why the agent is suspended.
 */
final class StateMove {

  private StateMove() {}

  /** What a signal leads to. */
  static Verdict decide(AgentSnapshot state, Intent.ChangeState told, Instant at) {
    return switch (told.command()) {
      case SUSPEND -> Suspending.decide(state, suspend(SuspensionCause.EXPLICIT, told), at);
      case PAGES_EVICTED -> Suspending.decide(state, suspend(SuspensionCause.PAGES, told), at);
      case RESUME ->
          Suspending.decide(state, new Intent.Resume(OptionalLong.empty(), told.reason()), at);
      case PAGES_AVAILABLE -> Suspending.pagesAvailable(state, told, at);
      case BEGIN_WORK, BLOCK, FINISH_WORK ->
          new Verdict.Refused(
              told.command() + " follows from the agent's work and cannot be given");
      case START, UNBLOCK, STOP, FAIL -> move(state, told, Optional.empty(), at);
    };
  }

  private static Intent.Suspend suspend(SuspensionCause cause, Intent.ChangeState told) {
    return new Intent.Suspend(cause, told.reason(), Optional.empty());
  }

  static Verdict move(
      AgentSnapshot state, Intent.ChangeState told, Optional<Suspension> into, Instant at) {
    return switch (Transitions.of(state.state(), told.command(), state.kind())) {
      case Transition.Refused refused -> new Verdict.Refused(refused.reason());
      case Transition.To to -> {
        AgentEvent.Transitioned moved =
            new AgentEvent.Transitioned(
                told.command(),
                state.state(),
                to.to(state.active().isPresent()),
                ReasonText.line(told.reason()),
                into,
                0,
                at);
        yield Verdict.journal(
            new AgentEvent.Transitioned(
                moved.command(),
                moved.from(),
                moved.to(),
                moved.reason(),
                into,
                apply(state, moved).left(),
                moved.at()));
      }
    };
  }

  static AgentSnapshot apply(AgentSnapshot state, AgentEvent.Transitioned moved) {
    AgentState to = moved.to();
    AgentSnapshot next =
        left(state, moved.at())
            .status(state.status().moved(to, moved.reason(), moved.suspension()));
    // A run that goes on is asked again, whatever it waited for.
    return switch (to) {
      case RUNNING -> next.active(open(next).unblocked());
      case SUSPENDED -> next.active().map(run -> waiting(next, run)).orElse(next);
      case INITIALIZED, WAITING, LOADED, UNLOADED, IDLE, STOPPED, FAILED -> next;
    };
  }

  /** The same, where a suspension lasted, with the time that did not count. */
  static AgentSnapshot left(AgentSnapshot state, Instant at) {
    return state
        .suspension()
        .filter(suspension -> !suspension.cause().timed())
        .map(suspension -> state.runs(state.runs().paused(suspension.at(), at)))
        .orElse(state);
  }

  private static AgentSnapshot waiting(AgentSnapshot state, ActiveRun run) {
    Suspension suspension = state.suspension().orElseThrow();
    return suspension.cause() == SuspensionCause.CAPACITY
        ? state.active(run.capacityWait(suspension.since()))
        : state;
  }

  private static ActiveRun open(AgentSnapshot state) {
    return state
        .active()
        .orElseThrow(() -> new IllegalStateException("RUNNING without an accepted run"));
  }

  /**
   * Moves agents from one placement unit to another: only such as do nothing, so that what an
   * earlier home still does cannot be a run's work.
   */
  static final class Moving {

    private Moving() {}

    static Verdict decide(AgentSnapshot state, Intent.Rehome rehome, Instant at) {
      if (state.home().filter(home -> home.unit() == rehome.unit()).isPresent()) {
        return new Verdict.Repeated();
      }
      if (state.moving()) {
        return new Verdict.Refused("the agent is moving");
      }
      boolean still =
          switch (state.state()) {
            case SUSPENDED, UNLOADED, LOADED, IDLE ->
                state.active().filter(ActiveRun::acting).isEmpty();
            case INITIALIZED, RUNNING, WAITING, STOPPED, FAILED -> false;
          };
      return still
          ? Verdict.journal(
              new AgentEvent.Rehomed(
                  rehome.unit(),
                  ReasonText.line(rehome.reason()),
                  state.home(new Home(rehome.unit(), false)).left(),
                  at))
          : new Verdict.Refused("an agent moves while it does nothing; it is " + state.state());
    }

    static Verdict decide(AgentSnapshot state, AgentCommand.ConfirmRehomed confirm) {
      Home home = new Home(confirm.unit(), true);
      return state.moving() && state.home().orElseThrow().unit() == confirm.unit()
          ? Verdict.journal(
              new AgentEvent.RehomeConfirmed(confirm.unit(), state.home(home).left(), confirm.at()))
          : new Verdict.Refused("the agent does not move to unit " + confirm.unit());
    }
  }
}
