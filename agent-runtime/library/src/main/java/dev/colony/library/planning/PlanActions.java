package dev.colony.library.planning;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.suspension.Approval;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.library.plan.PlanItem.End;
import dev.colony.library.plan.PlanItem.Outcome;
import dev.colony.library.plan.PlanSettings;
import dev.colony.library.plan.PlanStep.Due;
import dev.colony.library.prompt.JsonPreview;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Executes a plan's actions behind its guardrails, several side by side. */
final class PlanActions {

  /** What came of an action; without a call where a guardrail stood before it. */
  record Done(Due due, Outcome outcome, Optional<ActionCall> call) {}

  private final PolicyContext context;
  private final List<Guardrail> guardrails;
  private final PlanSettings settings;

  PlanActions(PolicyContext context, List<Guardrail> guardrails, PlanSettings settings) {
    this.context = context;
    this.settings = settings;
    this.guardrails = List.copyOf(guardrails);
  }

  /** What came of each, in their order. Returns when all have ended or cannot go on. */
  List<Done> perform(List<Due> dues, ActionPolicyExecutionState state) throws InterruptedException {
    if (dues.size() == 1) {
      return List.of(perform(dues.getFirst(), state));
    }
    List<Done> done = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Done> one :
          threads.invokeAll(
              dues.stream().<Callable<Done>>map(due -> () -> perform(due, state)).toList())) {
        done.add(result(one));
      }
    }
    return done;
  }

  private static Done result(Future<Done> one) throws InterruptedException {
    try {
      return one.get();
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof RuntimeException broken) {
        throw broken;
      }
      if (failure.getCause() instanceof Error broken) {
        throw broken;
      }
      throw new IllegalStateException(failure);
    }
  }

  private Done perform(Due due, ActionPolicyExecutionState state) {
    Action action = Action.of(due.actionId(), due.key(), due.params());
    String run = state.request().runId().value();
    Optional<Outcome> held = held(action, due.item(), run, state);
    if (held.isPresent()) {
      return new Done(due, held.get(), Optional.empty());
    }
    ActionResult result = context.dispatcher().perform(action);
    return new Done(due, outcome(result, run), Optional.of(new ActionCall(action, result)));
  }

  /** What the guardrails make of an action; empty if it may be executed. */
  private Optional<Outcome> held(
      Action action, String item, String run, ActionPolicyExecutionState state) {
    if (guardrails.isEmpty()) {
      return Optional.empty();
    }
    Action resolved = Action.of(action.actionId(), action.key(), resolved(action.params()));
    Optional<ActionDescription> description =
        context.dispatcher().groups().stream()
            .flatMap(group -> group.actions().stream())
            .filter(one -> one.key().equals(action.key()))
            .findFirst();
    Optional<String> ask = Optional.empty();
    for (Guardrail one : guardrails) {
      switch (one.check(resolved, description)) {
        case Guardrail.Verdict.Allow allow -> {}
        case Guardrail.Verdict.Block block -> {
          return Optional.of(without(action, run, End.FAILED, block.reason(), Optional.empty()));
        }
        case Guardrail.Verdict.Ask asked -> ask = Optional.of(asked.reason());
      }
    }
    return ask.flatMap(reason -> approval(action, item, run, reason, state));
  }

  /** The request of an action's approval is the same for each attempt. */
  private static Optional<Outcome> approval(
      Action action, String item, String run, String reason, ActionPolicyExecutionState state) {
    String request = "guard-" + item;
    Optional<Approval> said = state.approval(request);
    if (said.isEmpty()) {
      return Optional.of(
          without(
              action,
              run,
              End.BLOCKED,
              reason,
              Optional.of(new ResumptionCondition.Approved(request))));
    }
    return said.get().granted()
        ? Optional.empty()
        : Optional.of(
            without(
                action,
                run,
                End.FAILED,
                "%s denied it%s"
                    .formatted(
                        said.get().by(),
                        said.get().note().isEmpty() ? "" : ": " + said.get().note()),
                Optional.empty()));
  }

  private static Outcome without(
      Action action, String run, End end, String why, Optional<ResumptionCondition> until) {
    return new Outcome(run, action.actionId(), end, null, true, false, why, until);
  }

  private JsonNode resolved(JsonNode params) {
    try {
      return context.dispatcher().resolve(params);
    } catch (AgentException missing) {
      // The action fails with this, when it is executed.
      return params;
    }
  }

  /** A result as the plan keeps it. */
  Outcome outcome(ActionResult result, String run) {
    End end = result.success() ? End.SUCCEEDED : result.blocked() ? End.BLOCKED : End.FAILED;
    boolean whole =
        result.stored().isEmpty()
            && result.output().toString().length() <= context.settings().contextChars();
    JsonNode output =
        whole
            ? result.output()
            : TextNode.valueOf(JsonPreview.of(result.output(), context.settings().previewChars()));
    String error = result.error().isEmpty() ? result.status().name() : result.error();
    Optional<ResumptionCondition> until =
        result
            .until()
            .or(() ->
                result.blockingAgentIds().isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                        new ResumptionCondition.ChildrenCompleted(result.blockingAgentIds())));
    return new Outcome(
        run,
        result.actionId(),
        end,
        output,
        whole,
        end == End.BLOCKED && until.orElse(null) instanceof ResumptionCondition.Approved,
        end == End.SUCCEEDED ? "" : JsonPreview.cut(error, settings.errorChars()),
        until);
  }

  /** How a run waits for what these attempts wait for. */
  Decision blocked(List<Outcome> attempts) {
    String reason = String.join("; ", attempts.stream().map(Outcome::error).distinct().toList());
    List<ResumptionCondition> until =
        attempts.stream().flatMap(one -> one.until().stream()).distinct().toList();
    String line =
        JsonPreview.cut(reason.isEmpty() ? "actions cannot go on" : reason, settings.errorChars());
    if (until.isEmpty() || attempts.stream().anyMatch(one -> one.until().isEmpty())) {
      return new Decision.Blocked(line, List.of());
    }
    return Decision.blocked(
        line, until.size() == 1 ? until.getFirst() : new ResumptionCondition.AnyOf(until));
  }
}
