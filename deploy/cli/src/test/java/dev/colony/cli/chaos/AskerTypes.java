package dev.colony.cli.chaos;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunBudget;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import java.util.List;
import java.util.Optional;

/** Agents that ask the model one thing after the other. */
public final class AskerTypes implements TypeProvider {

  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of("chaos.asker"))
          .budget(RunBudget.OF_NODE.tokens(Long.MAX_VALUE));

  @Override
  public void register(Types types) {
    types.add(Asker.class);
  }

  /** The input of a run. */
  static ObjectNode input(int calls) {
    return JsonNodeFactory.instance.objectNode().put("calls", calls);
  }

  /** What the call of this number asks. */
  static String question(String agent, int call) {
    return agent + " asks " + call;
  }

  /** Completes with how often it was answered. */
  @Registered("chaos.asker")
  public static class Asker extends BaseActionPolicy {

    private static final int MAX_TOKENS = 16;

    public Asker(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int calls = state.request().input().path("calls").asInt();
      for (int i = 0; i < calls; i++) {
        String question = question(agent().id().name(), i);
        agent()
            .inference()
            .infer(
                "c" + i,
                new ModelCall("Answer.", List.of(), question, Optional.empty(), MAX_TOKENS));
      }
      return Decision.Complete.with(IntNode.valueOf(calls));
    }
  }
}
