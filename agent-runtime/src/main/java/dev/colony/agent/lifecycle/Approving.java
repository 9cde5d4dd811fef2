package dev.colony.agent.lifecycle;

import dev.colony.agent.suspension.Approval;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.Suspension;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Takes what people say to what a run, or whoever suspended the agent, asks for. What nobody asks
 * for at the moment is refused: a word that comes late must not allow what is asked for next under
 * the same name.
 */
final class Approving {

  private Approving() {}

  /**
   * @param most words that a run may be told
   */
  static Verdict decide(AgentSnapshot state, AgentCommand.Approve approve, int most) {
    Approval approval = brief(approve.approval());
    Map<String, Approval> said = state.active().map(ActiveRun::approvals).orElse(Map.of());
    String request = approval.request();
    if (state.state().terminal() || !asked(state, request)) {
      return says(said.get(request), approval)
          ? new Verdict.Repeated()
          : new Verdict.Refused("nobody asks for " + request);
    }
    if (!said.containsKey(request) && said.size() >= most) {
      return new Verdict.Refused("the run has been told " + most + " words, as many as it may");
    }
    List<AgentEvent> events = new ArrayList<>();
    events.add(new AgentEvent.Approved(approval, approve.at()));
    if (goesOn(apply(state, approval), approval, approve.at()) instanceof Verdict.Journal moved) {
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

  /** A run that waits in memory is asked again; a suspension ends where this word alone ends it. */
  private static Verdict goesOn(AgentSnapshot state, Approval approval, Instant at) {
    String why = approval.request() + " was " + word(approval);
    return state
        .suspension()
        .filter(one -> one.until().filter(until -> met(until, approval.request())).isPresent())
        .map(one ->
            Suspending.decide(
                state, new AgentCommand.Resume(OptionalLong.of(one.number()), why, at)))
        .orElseGet(() ->
            StateMove.decide(
                state, new AgentCommand.Transition(LifecycleCommand.UNBLOCK, why, at)));
  }

  static String word(Approval approval) {
    return (approval.granted() ? "granted by " : "denied by ")
        + approval.by()
        + (approval.note().isEmpty() ? "" : ": " + approval.note());
  }

  /**
   * Whether a suspension or a run waits for the answer, or a run that goes on for another reason
   * has an action in its history that does.
   */
  private static boolean asked(AgentSnapshot state, String request) {
    Optional<ActiveRun> run = state.active();
    return asks(state.suspension().flatMap(Suspension::until), request)
        || asks(run.flatMap(ActiveRun::parked).flatMap(Parked::until), request)
        || run.filter(open -> !open.approvals().containsKey(request))
            .filter(open ->
                open.history().stream().anyMatch(call -> asks(call.result().until(), request)))
            .isPresent();
  }

  private static boolean asks(Optional<ResumptionCondition> until, String request) {
    return until
        .filter(condition ->
            condition
                .leaves()
                .anyMatch(leaf ->
                    leaf instanceof ResumptionCondition.Approved one
                        && one.request().equals(request)))
        .isPresent();
  }

  /** Whether a condition holds by the answer to a request, whatever else is true. */
  private static boolean met(ResumptionCondition condition, String said) {
    return switch (condition) {
      case ResumptionCondition.Approved leaf -> said.equals(leaf.request());
      case ResumptionCondition.Immediate leaf -> true;
      case ResumptionCondition.All all -> all.of().stream().allMatch(one -> met(one, said));
      case ResumptionCondition.AnyOf any -> any.of().stream().anyMatch(one -> met(one, said));
      case ResumptionCondition.ChildrenCompleted leaf -> false;
      case ResumptionCondition.ResourceAvailable leaf -> false;
      case ResumptionCondition.PagesAvailable leaf -> false;
      case ResumptionCondition.Custom leaf -> false;
      case ResumptionCondition.At leaf -> false;
      case ResumptionCondition.Event leaf -> false;
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
        Brief.line(approval.by()),
        Brief.line(approval.note()),
        approval.at());
  }
}
