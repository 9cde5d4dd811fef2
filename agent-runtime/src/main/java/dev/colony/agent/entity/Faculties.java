package dev.colony.agent.entity;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.hook.HookContext;
import dev.colony.agent.policy.ActionPolicy;
import dev.colony.agent.policy.ActionPolicyIterationResult;
import java.util.List;

/**
 * What an agent works with while it is in memory.
 *
 * @param policy decides
 * @param actions execute what it decides
 */
record Faculties(ResidentAgent agent, ActionPolicy policy, Dispatching actions) {

  private static final String STEP = "Agent.runStep";
  private static final String ITERATION = "ActionPolicy.executeIteration";

  /** Executes the iteration of a step, through the hooks. */
  ActionPolicyIterationResult iterate(CurrentStep step) throws Exception {
    agent.enter(step);
    actions.begin(step);
    try {
      return agent
          .hooks()
          .call(
              new HookContext(agent, STEP, agent, List.of()),
              () ->
                  agent
                      .hooks()
                      .call(
                          new HookContext(agent, ITERATION, policy, List.of(step.state())),
                          () -> policy.executeIteration(step.state())));
    } finally {
      agent.leave();
    }
  }

  /** Ends the external action of a step that a crash has cut off. */
  ActionResult finish(CurrentStep step, Action action, boolean again) {
    agent.enter(step);
    actions.begin(step);
    try {
      return actions.finish(action, again);
    } finally {
      agent.leave();
    }
  }
}
