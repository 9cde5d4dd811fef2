package dev.colony.server.metrics;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunBudget;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.blackboard.Scope;

/** Agents whose runs all fail, and which alarms wake. */
public final class FailerTypes implements TypeProvider {

  static final String REASON = "the pump does not answer";

  static AgentBlueprint wokenIn(Scope scope) {
    return AgentBlueprint.of(Blueprint.of("metrics.failer"))
        .capability(CapabilityBlueprint.of(Blueprint.of("metrics.alarms")).scope(scope));
  }

  static AgentBlueprint circling() {
    return AgentBlueprint.of(Blueprint.of("metrics.circler"))
        .budget(RunBudget.OF_NODE.iterations(12));
  }

  @Override
  public void register(Types types) {
    types.add(Failer.class);
    types.add(Circler.class);
    types.add(Alarms.class);
  }

  /** Fails in its first iteration. */
  @Registered("metrics.failer")
  public static class Failer extends BaseActionPolicy {

    public Failer(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return Decision.Fail.because(REASON);
    }
  }

  /** Does nothing in each iteration. */
  @Registered("metrics.circler")
  public static class Circler extends BaseActionPolicy {

    public Circler(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return new Decision.Skip();
    }
  }

  /** Handles alarms. */
  @Registered("metrics.alarms")
  public static class Alarms extends AgentCapability {

    public Alarms(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = "alarm:*")
    public String alarm(EventBatch.Event event) {
      return event.key();
    }
  }
}
