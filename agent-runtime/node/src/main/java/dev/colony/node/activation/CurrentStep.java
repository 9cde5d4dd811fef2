package dev.colony.node.activation;

import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.ModelUse;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.step.StepJournal;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The step that an agent is in, as its inference and its dispatcher see it. Thread-safe. */
final class CurrentStep {

  private final RunRequest request;
  private final String name;
  private final ActionPolicyExecutionState state;
  private final StepJournal journal;
  private final CancellationToken token;
  private final BudgetMeter meter;
  private boolean acted;
  private Usage used = Usage.NONE;
  private final Map<String, ModelUse> models = new LinkedHashMap<>();
  private Optional<ActionCall> call = Optional.empty();

  /**
   * @param name the same for every execution of the step, whatever crashes
   */
  CurrentStep(
      RunRequest request,
      String name,
      ActionPolicyExecutionState state,
      StepJournal journal,
      CancellationToken token,
      BudgetMeter meter) {
    this.request = request;
    this.name = name;
    this.state = state;
    this.journal = journal;
    this.token = token;
    this.meter = meter;
  }

  String name() {
    return name;
  }

  /** The run that it is a step of. */
  RunId run() {
    return request.runId();
  }

  ActionPolicyExecutionState state() {
    return state;
  }

  StepJournal journal() {
    return journal;
  }

  CancellationToken token() {
    return token;
  }

  BudgetMeter meter() {
    return meter;
  }

  /** On whose behalf it is, in the session in which the run is now. */
  ExecutionContext context() {
    ExecutionContext asked = request.context();
    return state.session().map(asked::session).orElse(asked);
  }

  /** Begins the step's action; false if it has begun one before. */
  synchronized boolean begin() {
    boolean first = !acted;
    acted = true;
    return first;
  }

  /** Whether the step's action has begun and not ended. */
  synchronized boolean acting() {
    return acted && call.isEmpty();
  }

  /** Counts a model call that the step's action makes. */
  synchronized void use(InferenceReply reply) {
    used = used.plus(reply.usage());
    if (!reply.answeredBy().isEmpty()) {
      models.merge(
          reply.answeredBy(),
          new ModelUse(reply.model(), reply.entry(), reply.usage()),
          (a, b) -> new ModelUse(a.model(), a.entry(), a.usage().plus(b.usage())));
    }
  }

  /** Counts one of them that has failed. */
  synchronized void use(Usage more) {
    used = used.plus(more);
  }

  /** Ends the step's action; its result with what it has used. */
  synchronized ActionResult end(Action action, ActionResult result) {
    ActionResult counted = result.used(used, List.copyOf(models.values()));
    call = Optional.of(new ActionCall(action, counted));
    return counted;
  }

  /** The action that has ended in this step. */
  synchronized Optional<ActionCall> call() {
    return call;
  }
}
