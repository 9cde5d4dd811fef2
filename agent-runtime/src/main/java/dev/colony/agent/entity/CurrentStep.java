package dev.colony.agent.entity;

import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.policy.ActionPolicyExecutionState;
import dev.colony.agent.step.StepJournal;
import dev.colony.inference.Usage;
import java.util.Optional;

/** The step that an agent is in, as its inference and its dispatcher see it. Thread-safe. */
final class CurrentStep {

  private final RunRequest request;
  private final String name;
  private final ActionPolicyExecutionState state;
  private final StepJournal journal;
  private final Running running;
  private Optional<Action> acting = Optional.empty();
  private Optional<ActionCall> call = Optional.empty();
  private Usage used = Usage.NONE;

  /**
   * @param name the same for every execution of the step, whatever crashes
   */
  CurrentStep(
      RunRequest request,
      String name,
      ActionPolicyExecutionState state,
      StepJournal journal,
      Running running) {
    this.request = request;
    this.name = name;
    this.state = state;
    this.journal = journal;
    this.running = running;
  }

  RunRequest request() {
    return request;
  }

  String name() {
    return name;
  }

  ActionPolicyExecutionState state() {
    return state;
  }

  StepJournal journal() {
    return journal;
  }

  Running running() {
    return running;
  }

  /** On whose behalf it is, in the session in which the run is now. */
  ExecutionContext context() {
    ExecutionContext asked = request.context();
    return state.session().map(asked::session).orElse(asked);
  }

  /** Begins the step's action; empty if it has begun one before. */
  synchronized boolean begin(Action action) {
    boolean first = acting.isEmpty() && call.isEmpty();
    if (first) {
      acting = Optional.of(action);
    }
    return first;
  }

  /** The action that is being executed, to which model calls belong meanwhile. */
  synchronized Optional<Action> acting() {
    return acting;
  }

  synchronized void used(Usage usage) {
    used = used.plus(usage);
  }

  /** Ends the step's action. */
  synchronized ActionCall end(ActionCall ended) {
    Usage all = ended.result().usage().plus(used);
    ActionCall counted = new ActionCall(ended.action(), ended.result().usage(all));
    acting = Optional.empty();
    call = Optional.of(counted);
    return counted;
  }

  /** The action that has ended in this step. */
  synchronized Optional<ActionCall> call() {
    return call;
  }
}
