package dev.colony.testkit;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import java.util.List;
import java.util.Optional;

/**
 * A policy that takes a fixed number of steps, each a model call and an action that notes it, and
 * completes with how many distinct steps have left their note, in order.
 */
@Registered(ScriptedSteps.TYPE)
public final class ScriptedSteps extends BaseActionPolicy {

  static final String TYPE = "bench.steps";

  /**
   * @param payloadBytes size of each reply of the {@link InstantModel}
   */
  record Load(int steps, int payloadBytes) {
    Load {
      if (steps < 1 || payloadBytes < 1) {
        throw new IllegalArgumentException(
            "steps and payload must be at least 1, not " + steps + " and " + payloadBytes);
      }
    }
  }

  private final Load load;

  ScriptedSteps(PolicyContext context, Load load) {
    super(context);
    this.load = load;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    int step = state.iterationNum();
    if (step == load.steps()) {
      return Decision.Complete.with(
          JsonNodeFactory.instance.objectNode().put("noted", noted(state)));
    }
    agent()
        .inference()
        .infer(
            "note",
            new ModelCall("", List.of(), "step " + step, Optional.empty(), load.payloadBytes()));
    return new Decision.Act(
        Action.of(
            "s" + step, StepNotes.NOTE, JsonNodeFactory.instance.objectNode().put("step", step)));
  }

  private static int noted(ActionPolicyExecutionState state) {
    int inOrder = 0;
    while (inOrder < state.history().size()
        && state.history().get(inOrder).result().output().asInt(-1) == inOrder) {
      inOrder++;
    }
    return inOrder;
  }

  /** A capability whose one action returns what it is given. */
  @Registered(StepNotes.TYPE)
  static final class StepNotes extends AgentCapability {

    static final String TYPE = "bench.notes";
    static final String NOTE = TYPE + ".note";

    StepNotes(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Notes a step.")
    int note(int step) {
      return step;
    }
  }

  /** Registers what the benchmark's agents are made of. */
  public static final class BenchTypes implements TypeProvider {

    @Override
    public void register(Types types) {
      types.add(ScriptedSteps.class);
      types.add(ScriptedSteps.StepNotes.class);
    }
  }
}
