package dev.colony.agent.policy;

import dev.colony.agent.Agent;
import dev.colony.agent.action.ActionDispatcher;

/** A policy that decides one step at a time: subclasses say what is next, this class does it. */
public abstract class BaseActionPolicy implements ActionPolicy {

  private final PolicyContext context;

  protected BaseActionPolicy(PolicyContext context) {
    this.context = context;
  }

  /** Says what is next. May ask the model through {@link Agent#inference}, and may block. */
  protected abstract Decision planStep(ActionPolicyExecutionState state) throws Exception;

  protected final Agent agent() {
    return context.agent();
  }

  protected final ActionDispatcher dispatcher() {
    return context.dispatcher();
  }

  protected final PolicyContext context() {
    return context;
  }

  @Override
  public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state)
      throws Exception {
    return switch (planStep(state)) {
      case Decision.Act act ->
          ActionPolicyIterationResult.acted(act.action(), dispatcher().dispatch(act.action()));
      case Decision.Complete complete -> ActionPolicyIterationResult.completed(complete.output());
      case Decision.Idle idle -> ActionPolicyIterationResult.awaitingEvents();
      case Decision.Skip skip -> ActionPolicyIterationResult.skipped();
      case Decision.Blocked blocked ->
          ActionPolicyIterationResult.blocked(blocked.reason(), blocked.blockingAgentIds());
      case Decision.Fail fail -> ActionPolicyIterationResult.failed(fail.error());
      case Decision.Terminate end -> ActionPolicyIterationResult.terminated(end.error());
    };
  }
}
