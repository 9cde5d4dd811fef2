package dev.colony.node.faults;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;

/** An agent that pays as often as its input says, each time once, and tells how each went. */
public final class PayerTypes implements TypeProvider {

  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of("faults.payer"))
          .capability(CapabilityBlueprint.of(Blueprint.of("faults.purse")).key("purse"));

  @Override
  public void register(Types types) {
    types.add(Payer.class);
    types.add(Purse.class);
  }

  /** Pays at each step; its result are the statuses of the payments, in their order. */
  @Registered("faults.payer")
  public static class Payer extends BaseActionPolicy {

    public Payer(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int times = state.request().input().path("times").asInt();
      if (state.history().size() < times) {
        return new Decision.Act(
            Action.of(
                "p" + state.history().size(), "purse.pay", JsonNodeFactory.instance.objectNode()));
      }
      ArrayNode statuses = JsonNodeFactory.instance.arrayNode();
      state.history().forEach(call -> statuses.add(call.result().status().name()));
      return Decision.Complete.with(statuses);
    }
  }

  /** Pays through the door of the process. */
  @Registered("faults.purse")
  public static class Purse extends AgentCapability {

    public Purse(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(effect = Effect.EXTERNAL, retryable = false)
    public String pay(ActionContext context) {
      return agent()
          .service(Outside.Door.class)
          .act(context.actionId(), context.idempotencyKey().value());
    }
  }
}
