package dev.colony.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.io.IOException;
import java.util.Locale;

/** What the agents of an {@link Errand} are made of. */
public final class ErrandTypes implements TypeProvider {

  static final String RUNNER = "chaos.runner";
  static final String HANDS = "chaos.hands";

  @Override
  public void register(Types types) {
    types.add(Runner.class);
    types.add(Hands.class);
  }

  /** Takes the steps of its input in order; completes with the statuses of their actions. */
  @Registered(RUNNER)
  public static class Runner extends BaseActionPolicy {

    public Runner(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      JsonNode input = state.request().input();
      int step = state.history().size();
      if (step < input.path("steps").asInt()) {
        ObjectNode parameters =
            JsonNodeFactory.instance
                .objectNode()
                .put("run", input.path("run").asText())
                .put("step", step)
                .put("port", input.path("port").asInt());
        String action = Errand.kind(step).name().toLowerCase(Locale.ROOT);
        return new Decision.Act(Action.of(Errand.actionId(step), "hands." + action, parameters));
      }
      ArrayNode statuses = JsonNodeFactory.instance.arrayNode();
      state.history().forEach(call -> statuses.add(call.result().status().name()));
      return Decision.Complete.with(statuses);
    }
  }

  /** Acts upon the world. */
  @Registered(HANDS)
  public static class Hands extends AgentCapability {

    public Hands(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    public int note(String run, int step, int port) {
      return step;
    }

    @ActionExecutor(effect = Effect.EXTERNAL)
    public String send(String run, int step, int port, ActionContext context) throws IOException {
      return act(Errand.Kind.SEND, run, step, port, context);
    }

    @ActionExecutor(effect = Effect.EXTERNAL, retryable = false)
    public String pay(String run, int step, int port, ActionContext context) throws IOException {
      return act(Errand.Kind.PAY, run, step, port, context);
    }

    private static String act(
        Errand.Kind kind, String run, int step, int port, ActionContext context)
        throws IOException {
      return DeedServer.report(port, new Deed(kind, run, step, context.idempotencyKey().value()));
    }
  }
}
