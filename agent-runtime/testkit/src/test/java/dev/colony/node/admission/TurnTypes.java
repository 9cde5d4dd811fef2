package dev.colony.node.admission;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;

/** An agent that has as many turns as its input says, each with a prompt of its own that grows. */
final class TurnTypes implements dev.colony.agent.author.TypeProvider {

  static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of(Turns.TYPE));

  /** Blocks of the first prompt; each turn has one more. */
  static final int BLOCKS = 12;

  @Override
  public void register(Types types) {
    types.add(Turns.class);
  }

  @Registered(Turns.TYPE)
  static final class Turns extends BaseActionPolicy {

    static final String TYPE = "test.turns";

    Turns(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int turn = state.iterationNum();
      if (turn == state.request().input().path("turns").asInt()) {
        return Decision.Complete.with(JsonNodeFactory.instance.numberNode(turn));
      }
      StringBuilder prompt = new StringBuilder();
      for (int block = 0; block < BLOCKS + turn; block++) {
        String line = agent().id() + "/" + block;
        prompt.append(line).append(".".repeat(CachedModel.BLOCK_CHARACTERS - line.length()));
      }
      agent()
          .inference()
          .infer("turn", new ModelCall("", List.of(), prompt.toString(), Optional.empty(), 4));
      return new Decision.Skip();
    }
  }
}
