package dev.colony.core.lifecycle;

import dev.colony.agent.AgentState;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.value.Text;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Puts agents away and has them go on.
 *
 * <p>One suspension lasts at a time. One that a caller asks for takes the place of any other, also
 * of what they asked for before under another condition; nothing else takes the place of one that
 * lasts. What the former waited for is forgotten with it: a run that goes on is asked again, and
 * what still stands in the way suspends it again.
 */
final class Suspending {

  private Suspending() {}

  static Verdict decide(AgentSnapshot state, Intent.Suspend suspend, Instant at) {
    Optional<Suspension> lasting = state.suspension();
    if (lasting.isPresent() && suspend.cause() != SuspensionCause.EXPLICIT) {
      return new Verdict.Refused("the agent is suspended: " + lasting.get().cause());
    }
    if (lasting.filter(same -> repeats(suspend, same)).isPresent()) {
      return new Verdict.Repeated();
    }
    return misfit(state, suspend.cause())
        .<Verdict>map(Verdict.Refused::new)
        .orElseGet(() ->
            StateMove.move(
                state,
                new Intent.ChangeState(command(suspend), suspend.reason()),
                Optional.of(next(state, suspend, at)),
                at));
  }

  static Verdict decide(AgentSnapshot state, Intent.Resume resume, Instant at) {
    Optional<Suspension> lasting = state.suspension();
    OptionalLong wanted = resume.suspension();
    if (wanted.isPresent() && lasting.filter(one -> one.number() == wanted.getAsLong()).isEmpty()) {
      return new Verdict.Refused("suspension " + wanted.getAsLong() + " is over");
    }
    boolean pages = lasting.filter(one -> one.cause() == SuspensionCause.PAGES).isPresent();
    if (pages && wanted.isEmpty()) {
      return new Verdict.Refused("the agent goes on when its pages are available");
    }
    if (wanted.isEmpty() && state.withinSuspendedScope()) {
      return new Verdict.Refused(
          "the agent goes on when that is resumed: " + state.reason().orElse("its scope"));
    }
    return StateMove.move(
        state,
        new Intent.ChangeState(
            pages ? LifecycleCommand.PAGES_AVAILABLE : LifecycleCommand.RESUME, resume.reason()),
        Optional.empty(),
        at);
  }

  /** Ends what an eviction began, and nothing else. */
  static Verdict pagesAvailable(AgentSnapshot state, Intent.ChangeState told, Instant at) {
    Optional<SuspensionCause> cause = state.suspension().map(Suspension::cause);
    return cause.filter(one -> one != SuspensionCause.PAGES).isPresent()
        ? new Verdict.Refused("the agent does not wait for its pages: " + cause.get())
        : StateMove.move(state, told, Optional.empty(), at);
  }

  static Verdict decide(AgentSnapshot state, AgentCommand.ConfirmSuspended confirm) {
    boolean awaited =
        state.status().unknown()
            && state.suspension().orElseThrow().number() == confirm.suspension();
    return awaited
        ? Verdict.journal(
            new AgentEvent.SuspensionEntered(
                confirm.suspension(), state.status(state.status().known()).left(), confirm.at()))
        : new Verdict.Refused("suspension " + confirm.suspension() + " is over or known");
  }

  private static boolean repeats(Intent.Suspend suspend, Suspension lasting) {
    return lasting.cause() == suspend.cause() && lasting.until().equals(suspend.until());
  }

  /** Why an agent cannot be suspended for this; empty if the table decides. */
  private static Optional<String> misfit(AgentSnapshot state, SuspensionCause cause) {
    Phase phase = state.phase();
    boolean open = phase == Phase.ITERATING || phase == Phase.INTENDED || phase == Phase.BLOCKED;
    boolean fits =
        switch (cause) {
          case EXPLICIT, PAGES -> true;
          case BLOCKED, APPROVAL -> state.state() == AgentState.WAITING;
          case CAPACITY, BUDGET, SCOPE -> open && !state.ending();
        };
    return fits
        ? Optional.empty()
        : Optional.of("no run gives cause to suspend the agent: " + cause);
  }

  private static LifecycleCommand command(Intent.Suspend suspend) {
    return suspend.cause() == SuspensionCause.PAGES
        ? LifecycleCommand.PAGES_EVICTED
        : LifecycleCommand.SUSPEND;
  }

  private static Suspension next(AgentSnapshot state, Intent.Suspend suspend, Instant at) {
    boolean room = suspend.cause() == SuspensionCause.CAPACITY;
    return new Suspension(
        state.status().suspensions() + 1,
        suspend.cause(),
        ReasonText.line(suspend.reason()),
        suspend.until(),
        at,
        state.active().filter(run -> room).flatMap(ActiveRun::capacityWait).orElse(at),
        suspend.events());
  }

  /**
   * Reasons as they are journaled: one well-formed line of bounded length, whatever agent code made
   * of them.
   */
  static final class ReasonText {

    static final int LONGEST = 2_000;

    private ReasonText() {}

    static String line(String text) {
      return Text.line(text, LONGEST);
    }
  }
}
