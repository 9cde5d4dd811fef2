package dev.colony.core.lifecycle;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.Approval;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * Takes the approvals of what a run, or the suspension of the agent, asks for. What is not asked
 * for at the moment is refused, and so is what was said before it was asked for: an answer that
 * comes late, or again, must not allow what is asked for next under the same name.
 */
final class Approving {

  private Approving() {}

  /**
   * @param signal where it was given, in the agent's own scope
   * @param most answers that a run may be given
   */
  static Verdict decide(
      AgentSnapshot state, Approval given, Position signal, Instant at, int most) {
    Approval approval = brief(given);
    Map<String, Approval> said = state.active().map(ActiveRun::approvals).orElse(Map.of());
    String request = approval.request();
    if (state.state().terminal() || !asked(state, request, asked -> true)) {
      return says(said.get(request), approval)
          ? new Verdict.Repeated()
          : new Verdict.Refused("no run asks for " + request);
    }
    if (!asked(state, request, asked -> asked.answeredAt(signal))) {
      return new Verdict.Refused(request + " is asked for since after that was said");
    }
    if (!said.containsKey(request) && said.size() >= most) {
      return new Verdict.Refused("the run has been given " + most + " answers, as many as it may");
    }
    List<AgentEvent> events = new ArrayList<>();
    events.add(new AgentEvent.Approved(approval, at));
    if (goesOn(apply(state, approval), approval, signal, at) instanceof Verdict.Journal moved) {
      events.addAll(moved.events());
    }
    return new Verdict.Journal(events);
  }

  static AgentSnapshot apply(AgentSnapshot state, Approval approval) {
    return state
        .active()
        .filter(run -> run.ended().isEmpty())
        .map(run -> state.active(run.approved(approval)))
        .orElse(state);
  }

  /**
   * A run that waits in memory is asked again; a suspension ends where this answer alone ends it.
   */
  private static Verdict goesOn(
      AgentSnapshot state, Approval approval, Position signal, Instant at) {
    String why = approval.request() + " was " + answer(approval);
    return state
        .suspension()
        .filter(one -> one.until().filter(until -> met(until, approval, signal)).isPresent())
        .map(one ->
            Suspending.decide(state, new Intent.Resume(OptionalLong.of(one.number()), why), at))
        .orElseGet(() ->
            StateMove.decide(state, new Intent.ChangeState(LifecycleCommand.UNBLOCK, why), at));
  }

  static String answer(Approval approval) {
    return (approval.granted() ? "granted by " : "denied by ")
        + approval.by()
        + (approval.note().isEmpty() ? "" : ": " + approval.note());
  }

  /**
   * Whether a suspension or a run waits for the answer, or a run that goes on for another reason
   * has an action in its history that does.
   */
  private static boolean asked(
      AgentSnapshot state, String request, Predicate<ResumptionCondition.Approved> which) {
    Optional<ActiveRun> run = state.active();
    Predicate<ResumptionCondition> wanted =
        part ->
            part instanceof ResumptionCondition.Approved one
                && one.request().equals(request)
                && which.test(one);
    return asks(state.suspension().flatMap(Suspension::until), wanted)
        || asks(run.flatMap(ActiveRun::blocked).flatMap(Blocked::until), wanted)
        || run.filter(open -> !open.approvals().containsKey(request))
            .filter(open ->
                open.history().stream().anyMatch(call -> asks(call.result().until(), wanted)))
            .isPresent();
  }

  private static boolean asks(
      Optional<ResumptionCondition> until, Predicate<ResumptionCondition> wanted) {
    return until.filter(condition -> condition.leaves().anyMatch(wanted)).isPresent();
  }

  /** Whether a condition holds by what was said, whatever else is true. */
  private static boolean met(ResumptionCondition condition, Approval given, Position signal) {
    return switch (condition) {
      case ResumptionCondition.Approved leaf ->
          given.request().equals(leaf.request()) && leaf.answeredAt(signal);
      case ResumptionCondition.Immediate leaf -> true;
      case ResumptionCondition.All all ->
          all.of().stream().allMatch(one -> met(one, given, signal));
      case ResumptionCondition.AnyOf any ->
          any.of().stream().anyMatch(one -> met(one, given, signal));
      default -> false;
    };
  }

  /** Delivered again it may carry another time. */
  private static boolean says(Approval said, Approval again) {
    return said != null
        && said.granted() == again.granted()
        && said.by().equals(again.by())
        && said.note().equals(again.note());
  }

  private static Approval brief(Approval approval) {
    return new Approval(
        approval.request(),
        approval.granted(),
        ReasonText.line(approval.by()),
        ReasonText.line(approval.note()),
        approval.at());
  }
}
