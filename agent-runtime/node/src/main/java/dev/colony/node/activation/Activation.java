package dev.colony.node.activation;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.JoinPoints;

/**
 * What an agent works with while it is in memory with something to do.
 *
 * @param policy decides
 * @param actions execute what it decides
 */
record Activation(ActiveAgent agent, ActionPolicy policy, StepDispatcher actions) {

  /** A part of a step. */
  @FunctionalInterface
  private interface Part<T> {
    T run() throws Exception;
  }

  /** Executes the iteration of a step, through the hooks. */
  ActionPolicyIterationResult iterate(CurrentStep step) throws Exception {
    return within(
        step, () -> agent.hooks().call(JoinPoints.STEP, agent, agent, () -> iteration(step)));
  }

  private ActionPolicyIterationResult iteration(CurrentStep step) throws Exception {
    return agent
        .hooks()
        .call(
            JoinPoints.ITERATION,
            agent,
            policy,
            () -> policy.executeIteration(step.state()),
            step.state());
  }

  /** Ends the external action of a step that a crash has cut off. */
  ActionResult finish(CurrentStep step, Action action, boolean retryable) throws Exception {
    return within(
        step,
        () -> {
          ActionResult result = actions.finish(action, retryable);
          policy.observe(step.state(), new ActionCall(action, result));
          return result;
        });
  }

  private <T> T within(CurrentStep step, Part<T> part) throws Exception {
    agent.enter(step);
    actions.enter(step);
    try {
      return part.run();
    } finally {
      actions.leave();
      agent.leave();
    }
  }
}
