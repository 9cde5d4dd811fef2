package dev.colony.core.lifecycle;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.blackboard.value.Text;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.ModelCatalog;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Takes what an iteration makes durable while it runs: model calls and actions. */
public final class StepRecords {

  private final RunLimits limits;

  StepRecords(RunLimits limits) {
    this.limits = limits;
  }

  Verdict decide(AgentSnapshot state, AgentCommand.RecordAsking asking) {
    return uncallable(state, asking, asking.name())
        .orElseGet(() ->
            Verdict.journal(
                new AgentEvent.ModelAsked(
                    asking.name(),
                    asking.promptTokens(),
                    cost(ModelCatalog.UNNAMED, new Usage(asking.promptTokens(), 0, 0)),
                    asking.at())));
  }

  Verdict decide(AgentSnapshot state, AgentCommand.RecordReply reply) {
    return fault(reply, limits)
        .<Verdict>map(Verdict.Refused::new)
        .or(() -> uncallable(state, reply, reply.name()))
        .orElseGet(() ->
            Verdict.journal(
                new AgentEvent.ModelAnswered(
                    reply.name(),
                    reply.reply(),
                    reply.paged(),
                    cost(reply.reply().entry(), reply.reply().usage()),
                    reply.at())));
  }

  Verdict decide(AgentSnapshot state, AgentCommand.RecordFailure failure) {
    return uncallable(state, failure, failure.name())
        .orElseGet(() ->
            Verdict.journal(
                new AgentEvent.ModelFailed(
                    failure.name(),
                    failure.usage(),
                    cost(ModelCatalog.UNNAMED, failure.usage()),
                    failure.at())));
  }

  /** Why a reply can be journaled in no state, one line; empty if it can. */
  public static Optional<String> fault(AgentCommand.RecordReply reply, RunLimits limits) {
    return reply.reply().text().length() > limits.maxOutputBytes()
        ? Optional.of(tooLarge("the reply to " + reply.name(), limits))
        : callFault(reply.name());
  }

  private static Optional<String> callFault(String name) {
    return Text.fault("the name of a call", name);
  }

  /** Why a step makes no model call of that name. */
  private static Optional<Verdict> uncallable(
      AgentSnapshot state, AgentCommand command, String name) {
    boolean begun = state.phase() == Phase.INTENDED && !state.ending();
    if (!begun && !Lifecycle.wanted(state)) {
      return Optional.of(Lifecycle.unfit(state, command));
    }
    if (state.active().orElseThrow().replies().containsKey(name)) {
      return Optional.of(
          new Verdict.Refused("the call " + name + " of this step is answered already"));
    }
    return callFault(name).map(Verdict.Refused::new);
  }

  Verdict decide(AgentSnapshot state, AgentCommand.IntendAction intend) {
    if (!Lifecycle.wanted(state)) {
      return Lifecycle.unfit(state, intend);
    }
    if (!state.active().orElseThrow().actions().none()) {
      return new Verdict.Refused("the step performs several actions, each by itself");
    }
    String id = intend.action().actionId();
    if (state.active().orElseThrow().history().contains(id)) {
      return new Verdict.Refused("the policy chose the action id " + id + " twice");
    }
    Optional<String> fault = StepFault.of(intend.action(), intend.delta());
    if (fault.isPresent()) {
      return new Verdict.Refused(fault.get());
    }
    long left = JsonSize.left(intend.action().params(), limits.maxOutputBytes());
    if (StepSize.left(intend.delta(), left) < 0) {
      return new Verdict.Refused(tooLarge("the record of action " + id, limits));
    }
    return Verdict.journal(
        new AgentEvent.ActionIntended(
            intend.action(), intend.retryable(), intend.delta(), intend.at()));
  }

  private Optional<BigDecimal> cost(String model, Usage usage) {
    return Optional.of(limits.prices().cost(model, usage)).filter(money -> money.signum() > 0);
  }

  private static String tooLarge(String what, RunLimits limits) {
    return what + " is larger than " + limits.maxOutputBytes() + " bytes";
  }

  /** One that an earlier incarnation has begun is begun again, under the same key. */
  Verdict decide(AgentSnapshot state, AgentCommand.BeginAction begin) {
    if (!Lifecycle.wanted(state)) {
      return Lifecycle.unfit(state, begin);
    }
    ActiveRun run = state.active().orElseThrow();
    Action action = begin.action();
    Optional<StepActions.Begun> before =
        Optional.ofNullable(run.actions().begun().get(action.actionId()));
    boolean again =
        before
            .filter(one -> one.retryable() && one.incarnation() < state.incarnation())
            .filter(one -> one.action().key().equals(action.key()))
            .isPresent();
    Optional<String> refused = again ? Optional.empty() : known(run, action.actionId());
    return refused
        .or(() -> run.actions().unfit(action, limits))
        .<Verdict>map(Verdict.Refused::new)
        .orElseGet(() ->
            Verdict.journal(
                new AgentEvent.ActionBegun(
                    action, begin.retryable(), begin.approval(), begin.at())));
  }

  /** What has begun outside the agent ends in any state. */
  Verdict decide(AgentSnapshot state, AgentCommand.EndAction end) {
    boolean outside =
        state.phase() == Phase.INTENDED && state.active().filter(ActiveRun::iterating).isPresent();
    if (!outside && !Lifecycle.wanted(state)) {
      return Lifecycle.unfit(state, end);
    }
    ActiveRun run = state.active().orElseThrow();
    String id = end.call().action().actionId();
    Optional<String> refused =
        run.actions().begun().containsKey(id) ? Optional.empty() : known(run, id);
    return refused
        .or(() -> run.actions().unfit(end.call(), limits))
        .<Verdict>map(Verdict.Refused::new)
        .orElseGet(() ->
            Verdict.journal(
                new AgentEvent.ActionEnded(
                    end.call(),
                    end.approval(),
                    StepEnd.cost(limits.prices(), Optional.of(end.call())),
                    end.at())));
  }

  private Optional<String> known(ActiveRun run, String id) {
    if (run.history().contains(id) || run.actions().contains(id)) {
      return Optional.of("the policy chose the action id " + id + " twice");
    }
    return run.actions().count() < limits.step().actions()
        ? Optional.empty()
        : Optional.of("a step has no more than " + limits.step().actions() + " actions");
  }

  /** The ends of those that have begun and whose results are not told, or not kept. */
  static List<AgentEvent> unended(
      ActiveRun run, ActionResult.Status status, String why, Instant at) {
    List<AgentEvent> events = new ArrayList<>();
    if (run.actions().none()) {
      return events;
    }
    run.actions().begun().values().stream()
        .map(StepActions.Begun::action)
        .sorted((one, other) -> one.actionId().compareTo(other.actionId()))
        .forEach(action ->
            events.add(
                new AgentEvent.ActionEnded(
                    new ActionCall(
                        action, ActionResult.unsuccessful(action.actionId(), status, why)),
                    Optional.empty(),
                    Optional.empty(),
                    at)));
    return events;
  }

  public sealed interface Verdict {

    /** These events, in one atomic append. */
    record Journal(List<AgentEvent> events) implements Verdict {
      public Journal {
        events = List.copyOf(events);
      }
    }

    record Repeated() implements Verdict {}

    /** It cannot be carried out; the reason is one line for people. */
    record Refused(String reason) implements Verdict {}

    /** It cannot be carried out for now, and may be later; the reason is one line for people. */
    record Busy(String reason) implements Verdict {}

    static Verdict journal(AgentEvent... events) {
      return new Journal(List.of(events));
    }
  }
}
