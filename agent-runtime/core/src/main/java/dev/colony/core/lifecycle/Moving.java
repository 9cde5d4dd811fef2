package dev.colony.core.lifecycle;

import java.time.Instant;

/**
 * Moves agents from one placement unit to another: only such as do nothing, so that what an earlier
 * home still does cannot be a run's work.
 */
final class Moving {

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
