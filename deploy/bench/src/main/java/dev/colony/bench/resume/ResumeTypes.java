package dev.colony.bench.resume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.suspension.ResumptionCondition;

/** Registers what the benchmark's agents are made of. */
public final class ResumeTypes implements TypeProvider {

  /** What the agents wait for when they have taken their steps. */
  static final String SIGNAL = "go";

  @Override
  public void register(Types types) {
    types.add(Sleeper.class);
    types.add(Diary.class);
  }

  /** Takes as many steps as its run's input says, waits, and takes one more that ends the run. */
  @Registered(Sleeper.TYPE)
  static class Sleeper extends BaseActionPolicy {

    static final String TYPE = "bench.sleeper";

    Sleeper(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int steps = state.request().input().path("steps").asInt();
      int step = state.iterationNum();
      if (step < steps) {
        return new Decision.Act(
            Action.of(
                "s" + step,
                Diary.TYPE + ".note",
                JsonNodeFactory.instance.objectNode().put("step", step)));
      }
      return step == steps
          ? Decision.blocked("sleeps", new ResumptionCondition.Custom(SIGNAL))
          : Decision.Complete.with(JsonNodeFactory.instance.numberNode(state.history().size()));
    }
  }

  /** Its one action returns a sentence, so that the history has some size. */
  @Registered(Diary.TYPE)
  static class Diary extends AgentCapability {

    static final String TYPE = "bench.diary";

    Diary(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Notes a step.")
    String note(int step) {
      return "Step " + step + " was taken, and there is nothing more to be said about it.";
    }
  }
}
