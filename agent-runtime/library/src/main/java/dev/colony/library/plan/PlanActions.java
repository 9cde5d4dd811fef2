package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicySettings;
import dev.colony.library.plan.PlanLevel.PlanItem.End;
import dev.colony.library.plan.PlanLevel.PlanItem.Outcome;
import dev.colony.library.plan.PlanMachine.PlanStep.Due;
import dev.colony.library.policy.JsonPreview;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

final class PlanActions {

  record Done(Due due, Outcome outcome, ActionCall call) {}

  /** Of the error of an action, and of a question to the supervisor. */
  static final int ERROR_CHARS = 600;

  private final PolicyContext context;

  PlanActions(PolicyContext context) {
    this.context = context;
  }

  /** What came of each, in their order. Returns when all have ended or cannot go on. */
  List<Done> perform(List<Due> dues, String run) throws InterruptedException {
    if (dues.size() == 1) {
      return List.of(perform(dues.getFirst(), run));
    }
    List<Done> done = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Done> one :
          threads.invokeAll(
              dues.stream().<Callable<Done>>map(due -> () -> perform(due, run)).toList())) {
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

  private Done perform(Due due, String run) {
    Action action = Action.of(due.actionId(), due.key(), due.params());
    ActionResult result = context.dispatcher().perform(action);
    return new Done(due, outcome(result, run), new ActionCall(action, result));
  }

  /** A result as the plan keeps it. */
  Outcome outcome(ActionResult result, String run) {
    End end = result.success() ? End.SUCCEEDED : result.blocked() ? End.BLOCKED : End.FAILED;
    boolean whole =
        result.stored().isEmpty()
            && result.output().toString().length() <= PolicySettings.CONTEXT_CHARS;
    JsonNode output =
        whole
            ? result.output()
            : TextNode.valueOf(JsonPreview.of(result.output(), PolicySettings.PREVIEW_CHARS));
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
        end == End.SUCCEEDED ? "" : JsonPreview.cut(error, ERROR_CHARS),
        until);
  }

  /** How a run waits for what these attempts wait for. */
  Decision blocked(List<Outcome> attempts) {
    String reason = String.join("; ", attempts.stream().map(Outcome::error).distinct().toList());
    List<ResumptionCondition> until =
        attempts.stream().flatMap(one -> one.until().stream()).distinct().toList();
    String line = JsonPreview.cut(reason.isEmpty() ? "actions cannot go on" : reason, ERROR_CHARS);
    if (until.isEmpty() || attempts.stream().anyMatch(one -> one.until().isEmpty())) {
      return new Decision.Blocked(line, List.of());
    }
    return Decision.blocked(
        line, until.size() == 1 ? until.getFirst() : new ResumptionCondition.AnyOf(until));
  }
}
