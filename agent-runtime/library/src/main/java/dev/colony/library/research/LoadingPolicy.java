package dev.colony.library.research;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;

/** Loads once, and says what was loaded. */
@Registered(LoadingPolicy.TYPE)
final class LoadingPolicy extends BaseActionPolicy {

  static final String TYPE = "research.load-map";

  private static final String LOAD = "load";

  LoadingPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    for (ActionCall call : state.history()) {
      return call.result().success()
          ? Decision.Complete.with(
              dispatcher().resolve(JsonNodeFactory.instance.textNode("$results." + LOAD)))
          : Decision.Fail.because(call.result().error());
    }
    return new Decision.Act(
        Action.of(
            LOAD,
            LoadingCapability.LOAD,
            JsonNodeFactory.instance.objectNode().put("map", "$map").put("tokens", "$tokens")));
  }
}
