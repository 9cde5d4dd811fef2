package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.PriceTable;
import dev.colony.inference.gateway.ModelCatalog;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the end of an iteration leads to, in one append: the step's record, and if the run is at its
 * end, that. A step that breaks a rule (too large, an action id used twice) ends its run as failed.
 */
final class StepEnd {

  private static final String UNTOLD = "the iteration ended without saying what became of it";

  private final RunLimits limits;
  private final AgentSnapshot state;
  private final ActiveRun run;
  private final RunRequest request;
  private final AgentCommand.CompleteStep command;
  private final ActionPolicyIterationResult result;

  StepEnd(RunLimits limits, AgentSnapshot state, AgentCommand.CompleteStep command) {
    this.limits = limits;
    this.state = state;
    this.run = state.active().orElseThrow();
    this.request = state.queue().getFirst().request();
    this.command = command;
    this.result = command.result();
  }

  /** The end of a run whose step came to nothing that can be journaled. */
  static List<AgentEvent> broken(RunLimits limits, AgentSnapshot state, String why, Instant at) {
    ActionPolicyIterationResult failed =
        ActionPolicyIterationResult.failed(ErrorContext.of("journal", why));
    return new StepEnd(limits, state, new AgentCommand.CompleteStep(failed, StepDelta.NONE, at))
        .failed(why);
  }

  List<AgentEvent> events() {
    return broken().map(this::failed).orElseGet(this::completed);
  }

  /** Which rule the step breaks. */
  private Optional<String> broken() {
    Optional<Action> reported = result.call().map(ActionCall::action);
    Optional<Action> intended = run.intended().map(Intended::action);
    if (reported.isPresent() && run.history().contains(reported.get().actionId())) {
      return Optional.of("the policy chose the action id " + reported.get().actionId() + " twice");
    }
    if (reported.isPresent() && !run.actions().none()) {
      return Optional.of("the policy performs several actions and reports one as the only one");
    }
    if (intended.isPresent()
        && reported.isPresent()
        && !intended.get().actionId().equals(reported.get().actionId())) {
      return Optional.of(
          "the policy began " + intended.get().actionId() + " and reports another action");
    }
    Optional<String> unfit = unfitCondition().or(() -> StepFault.of(result, command.delta()));
    if (unfit.isPresent()) {
      return unfit;
    }
    long left = StepSize.left(result, StepSize.left(command.delta(), limits.maxOutputBytes()));
    if (left < 0) {
      return Optional.of(
          "a step's record is larger than "
              + limits.maxOutputBytes()
              + " bytes, which is colony.agent.max-output; what its capabilities keep counts");
    }
    if (JsonSize.exceeds(run.changed(command.delta().custom()), limits.maxOutputBytes())) {
      return Optional.of(
          "the policy's entries are larger than "
              + limits.maxOutputBytes()
              + " bytes, which is colony.agent.max-output");
    }
    ObjectNode policy = StepDelta.applied(state.memory().policy(), command.delta().policy());
    if (JsonSize.exceeds(policy, limits.maxOutputBytes())) {
      return Optional.of(
          "the policy's entries of the agent are larger than "
              + limits.maxOutputBytes()
              + " bytes, which is colony.agent.max-output");
    }
    return Optional.empty();
  }

  /** What the run waits for is to fit into what its agent is suspended until. */
  private Optional<String> unfitCondition() {
    try {
      blocked()
          .flatMap(Blocked::condition)
          .ifPresent(own -> ResumptionCondition.any(own, new ResumptionCondition.At(command.at())));
      return Optional.empty();
    } catch (IllegalArgumentException unfit) {
      return Optional.of("what the run waits for cannot be: " + unfit.getMessage());
    }
  }

  private List<AgentEvent> failed(String fault) {
    String why = ReasonText.line(fault);
    Optional<ActionCall> call = intendedCall(ActionResult.Status.FAILED, why);
    ErrorContext error = ErrorContext.of("policy", why);
    AgentRun ended = AgentRun.failed(request.runId(), why, stats(call)).session(run.session());
    List<AgentEvent> events =
        StepRecords.unended(run, ActionResult.Status.FAILED, why, command.at());
    events.add(step(call, StepDelta.NONE, Optional.empty(), Optional.of(error)));
    events.add(new AgentEvent.RunCompleted(ended, command.at()));
    return events;
  }

  private List<AgentEvent> completed() {
    Optional<ActionCall> call =
        result.call().or(() -> intendedCall(ActionResult.Status.INTERRUPTED, UNTOLD));
    List<AgentEvent> events =
        StepRecords.unended(run, ActionResult.Status.INTERRUPTED, UNTOLD, command.at());
    events.add(step(call, command.delta(), blocked(), result.error().map(StepEnd::brief)));
    ending(stats(call)).ifPresent(ended -> events.add(ended(ended)));
    return events;
  }

  /**
   * How the run ends with this step; empty if it goes on, or if it is to end anyway: an iteration
   * that fails then does so because it is refused what it asks for.
   */
  private Optional<AgentRun> ending(RunStats stats) {
    boolean fails = result.policyCompleted() && !result.success();
    if (fails && !result.requiresTermination() && state.ending()) {
      return Optional.empty();
    }
    if (result.requiresTermination() || fails) {
      String why = result.error().map(ErrorContext::message).orElse("");
      return Optional.of(
          spent()
              .map(answer ->
                  AgentRun.completed(request.runId(), answer, stats).partial(ReasonText.line(why)))
              .orElseGet(() -> AgentRun.failed(request.runId(), ReasonText.line(why), stats)));
    }
    if (result.policyCompleted()) {
      return Optional.of(output(stats));
    }
    boolean nobodyAsked = request.namespace().equals(EventBatch.NAMESPACE);
    return result.idle() && nobodyAsked
        ? Optional.of(
            AgentRun.completed(request.runId(), JsonNodeFactory.instance.nullNode(), stats))
        : Optional.empty();
  }

  /** What the run ends with though it was refused a model call, since a budget is spent. */
  private Optional<JsonNode> spent() {
    return result.error().filter(error -> error.kind().equals(ErrorContext.BUDGET)).isPresent()
            && !result.requiresTermination()
        ? ActionPolicyExecutionState.answer(run.changed(command.delta().custom()), run.history())
        : Optional.empty();
  }

  private AgentRun output(RunStats stats) {
    ActionPolicyOutput output =
        result.output().orElseGet(() -> ActionPolicyOutput.of(JsonNodeFactory.instance.nullNode()));
    long left = JsonSize.left(output.finalResult(), limits.maxOutputBytes());
    for (Map.Entry<String, JsonNode> exported : output.exportedResults().entrySet()) {
      left = JsonSize.left(exported.getValue(), left - exported.getKey().length());
    }
    for (String pattern : output.learnedPatterns()) {
      left -= pattern.length();
    }
    if (left < 0) {
      String why = "the output is larger than " + limits.maxOutputBytes() + " bytes";
      return AgentRun.failed(request.runId(), why, stats);
    }
    AgentRun ended = output.endOf(request.runId(), stats);
    return ActionPolicyExecutionState.wrapUp(run.changed(command.delta().custom()))
        .filter(bound -> ended.error().isEmpty())
        .map(bound -> ended.partial("the run came near to its bound of " + bound))
        .orElse(ended);
  }

  private Optional<Blocked> blocked() {
    if (ending(RunStats.NONE).isPresent() || !result.idle() && result.blockedReason().isEmpty()) {
      return Optional.empty();
    }
    String reason = result.blockedReason().map(ReasonText::line).orElse("");
    return Optional.of(
        new Blocked(
            result.idle(), reason, result.blockingAgentIds(), result.until(), command.at()));
  }

  /** The external action that the step began, where its result is not told or not kept. */
  private Optional<ActionCall> intendedCall(ActionResult.Status status, String why) {
    return run.intended()
        .map(Intended::action)
        .map(action ->
            new ActionCall(action, ActionResult.unsuccessful(action.actionId(), status, why)));
  }

  private AgentEvent step(
      Optional<ActionCall> call,
      StepDelta delta,
      Optional<Blocked> blocked,
      Optional<ErrorContext> error) {
    Optional<BigDecimal> cost = cost(limits.prices(), call);
    Instant at = command.at();
    return new AgentEvent.StepCompleted(run.stats().steps(), call, delta, cost, blocked, error, at);
  }

  private AgentEvent ended(AgentRun ended) {
    return new AgentEvent.RunCompleted(
        ended.session(command.delta().session().or(run::session)), command.at());
  }

  private RunStats stats(Optional<ActionCall> call) {
    return run.stats().plus(taken(1, call, cost(limits.prices(), call)));
  }

  /**
   * What an action's model calls took.
   *
   * @param steps that have ended with it
   */
  static RunStats taken(int steps, Optional<ActionCall> call, Optional<BigDecimal> cost) {
    Usage usage = call.map(one -> one.result().usage()).orElse(Usage.NONE);
    return new RunStats(steps, 0, usage, 0, 0, cost.orElse(BigDecimal.ZERO), models(call));
  }

  /** What they cost; empty for nothing. */
  static Optional<BigDecimal> cost(PriceTable prices, Optional<ActionCall> call) {
    return call.map(one -> cost(prices, one.result())).filter(money -> money.signum() > 0);
  }

  /** By the usual prices, but for what is known to be of a model with prices of its own. */
  private static BigDecimal cost(PriceTable prices, ActionResult result) {
    BigDecimal cost = prices.cost(ModelCatalog.UNNAMED, result.usage());
    for (ActionResult.ModelUse use : result.models()) {
      cost =
          cost.subtract(prices.cost(ModelCatalog.UNNAMED, use.usage()))
              .add(prices.cost(use.entry(), use.usage()));
    }
    return cost;
  }

  /** The models that answered an action's calls. */
  private static List<String> models(Optional<ActionCall> call) {
    return call.isEmpty() || call.get().result().models().isEmpty()
        ? List.of()
        : call.get().result().models().stream().map(ActionResult.ModelUse::answeredBy).toList();
  }

  private static ErrorContext brief(ErrorContext error) {
    return new ErrorContext(
        error.kind(), ReasonText.line(error.message()), error.actionId(), error.retryable());
  }
}
