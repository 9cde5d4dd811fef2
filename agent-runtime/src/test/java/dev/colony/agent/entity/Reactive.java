package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.child.Children.OnParentStop;
import dev.colony.agent.policy.ActionPolicyExecutionState;
import dev.colony.agent.policy.Decision;
import dev.colony.agent.policy.EventDrivenActionPolicy;
import dev.colony.agent.policy.PolicyContext;
import java.util.List;

/**
 * A policy that takes events, and completes with what it has heard and what its streams hold. Its
 * input names an action to do first, which may have parameters, a child to spawn and wait for, or
 * has it hang.
 */
@Registered(Reactive.TYPE)
final class Reactive extends EventDrivenActionPolicy {

  static final String TYPE = "test.reactive";

  Reactive(PolicyContext context) {
    super(context);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    JsonNode input = state.request().input();
    boolean first = state.iterationNum() == 0;
    if (input.has("hang")) {
      agent().service(TestTypes.class).hang();
    }
    if (first && input.has("act")) {
      JsonNode params = input.path("params");
      return new Decision.Act(
          Action.of(
              "a0",
              input.path("act").asText(),
              params.isObject() ? params : JsonNodeFactory.instance.objectNode()));
    }
    if (first && input.has("child")) {
      AgentBlueprint child = AgentBlueprint.of(Blueprint.of(TYPE));
      return new Decision.Blocked(
          "waits for its child",
          List.of(
              agent()
                  .children()
                  .spawn(input.path("child").asText(), child, OnParentStop.STOP)
                  .id()));
    }
    boolean done = !state.received().contexts().isEmpty() || !first && input.has("child");
    return done || input.has("complete") ? complete(state) : new Decision.Idle();
  }

  private Decision complete(ActionPolicyExecutionState state) {
    ObjectNode output = JsonNodeFactory.instance.objectNode();
    output.putArray("heard").addAll(state.received().contexts());
    context()
        .streams()
        .forEach(stream -> output.put(stream.name(), stream.render(state.entries(stream))));
    return Decision.Complete.with(output);
  }
}
