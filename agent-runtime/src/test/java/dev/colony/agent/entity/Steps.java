package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.policy.ActionPolicyExecutionState;
import dev.colony.agent.policy.BaseActionPolicy;
import dev.colony.agent.policy.Decision;
import dev.colony.agent.policy.PolicyContext;
import java.util.List;
import java.util.Optional;

/**
 * A policy that does one action per step, each after a model call, and completes with the outcomes.
 * Its input says how many steps, and what kind of action. A run that events started does one
 * action, called "woken", and completes with what it was given.
 */
@Registered(Steps.TYPE)
final class Steps extends BaseActionPolicy {

  static final String TYPE = "test.steps";

  Steps(PolicyContext context) {
    super(context);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    if (EventBatch.of(state.request()).isPresent()) {
      return state.iterationNum() == 1
          ? Decision.Complete.with(state.request().input())
          : new Decision.Act(action("woken", Workbench.INTERNAL));
    }
    if (state.iterationNum() == state.request().input().path("steps").asInt()) {
      return Decision.Complete.with(
          JsonNodeFactory.instance.textNode(
              String.join(" ", state.history().stream().map(Steps::brief).toList())));
    }
    agent().inference().infer("step", new ModelCall("", List.of(), "?", Optional.empty(), 4));
    String kind = state.request().input().path("kind").asText();
    return new Decision.Act(action("a" + state.iterationNum(), Workbench.TYPE + "." + kind));
  }

  private static Action action(String id, String key) {
    return Action.of(id, key, JsonNodeFactory.instance.objectNode());
  }

  private static String brief(ActionCall call) {
    return call.action().actionId() + "=" + call.result().status() + call.result().error();
  }
}
