package dev.colony.agent.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.Action;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.Blueprint;
import dev.colony.agent.Decision;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunView;
import java.util.List;
import java.util.Optional;

/**
 * A policy that takes a fixed number of steps, each a model call and an action that notes it, and
 * completes with how many distinct steps have left their note, in order.
 *
 * @param payloadBytes size of each reply of the {@link FakeModel}
 */
record ScriptedSteps(int steps, int payloadBytes) implements ActionPolicy {

  static final String TYPE = "bench.steps";

  ScriptedSteps {
    if (steps < 1 || payloadBytes < 1) {
      throw new IllegalArgumentException(
          "steps and payload must be at least 1, not " + steps + " and " + payloadBytes);
    }
  }

  static ScriptedSteps of(JsonNode args) {
    return new ScriptedSteps(args.path("steps").asInt(), args.path("payloadBytes").asInt());
  }

  Blueprint blueprint() {
    return new Blueprint(
        TYPE,
        JsonNodeFactory.instance
            .objectNode()
            .put("steps", steps)
            .put("payloadBytes", payloadBytes));
  }

  @Override
  public Decision planStep(RunView view) {
    if (view.step() == steps) {
      return new Decision.Complete(JsonNodeFactory.instance.objectNode().put("noted", noted(view)));
    }
    if (view.reply().isEmpty()) {
      return new Decision.Infer(
          new ModelCall("", List.of(), "step " + view.step(), Optional.empty(), payloadBytes));
    }
    return new Decision.Act(
        Action.internal(
            "s" + view.step(), StepNotes.NOTE, JsonNodeFactory.instance.numberNode(view.step())));
  }

  private static int noted(RunView view) {
    int inOrder = 0;
    while (inOrder < view.outcomes().size()
        && view.outcomes().get(inOrder).result().asInt(-1) == inOrder) {
      inOrder++;
    }
    return inOrder;
  }
}
