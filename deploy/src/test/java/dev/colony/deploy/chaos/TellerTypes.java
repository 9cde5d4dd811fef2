package dev.colony.deploy.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.blueprint.TypeProvider;
import dev.colony.agent.capability.ActionContext;
import dev.colony.agent.capability.ActionExecutor;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import dev.colony.agent.policy.ActionPolicyExecutionState;
import dev.colony.agent.policy.BaseActionPolicy;
import dev.colony.agent.policy.Decision;
import dev.colony.agent.policy.PolicyContext;

/** Agents that make something known with every step of a run. */
public final class TellerTypes implements TypeProvider {

  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of("chaos.teller"))
          .capability(CapabilityBlueprint.of(Blueprint.of("chaos.voice")).key("voice"));

  static final String TOLD = "told";

  @Override
  public void register(Types types) {
    types.add(Teller.class);
    types.add(Voice.class);
  }

  /**
   * The input of a run.
   *
   * @param millis how long each step takes
   */
  static ObjectNode input(int steps, int millis) {
    return JsonNodeFactory.instance.objectNode().put("steps", steps).put("millis", millis);
  }

  /** Tells as often as it is asked to; completes with how often that was. */
  @Registered("chaos.teller")
  public static class Teller extends BaseActionPolicy {

    public Teller(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      JsonNode input = state.request().input();
      int step = state.history().size();
      if (step == input.path("steps").asInt()) {
        return Decision.Complete.with(IntNode.valueOf(step));
      }
      ObjectNode parameters =
          JsonNodeFactory.instance
              .objectNode()
              .put("step", step)
              .put("millis", input.path("millis").asInt());
      return new Decision.Act(Action.of("s" + step, "voice.tell", parameters));
    }
  }

  /** Makes known which step it is. */
  @Registered("chaos.voice")
  public static class Voice extends AgentCapability {

    public Voice(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    public int tell(int step, int millis, ActionContext context) throws InterruptedException {
      Thread.sleep(millis);
      context.emit(TOLD, IntNode.valueOf(step));
      return step;
    }
  }
}
