package dev.colony.agent.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.policy.ActionPolicy;
import dev.colony.agent.policy.ActionPolicyExecutionState;
import dev.colony.agent.policy.ActionPolicyIterationResult;
import dev.colony.agent.policy.PolicyContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A policy whose iterations a test plays, by the agent's name. */
@Registered(PlayedPolicy.TYPE)
final class PlayedPolicy implements ActionPolicy {

  static final String TYPE = "test.played";

  /** An agent that can do what {@link Workbench} offers. */
  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of(TYPE), Blueprint.of(Workbench.TYPE));

  private static final ConcurrentMap<String, Play> PLAYS = new ConcurrentHashMap<>();

  /** What an iteration does. */
  @FunctionalInterface
  interface Play {
    ActionPolicyIterationResult iterate(PolicyContext context, ActionPolicyExecutionState state)
        throws Exception;
  }

  private final PolicyContext context;

  PlayedPolicy(PolicyContext context) {
    this.context = context;
  }

  static void play(String agent, Play play) {
    PLAYS.put(agent, play);
  }

  @Override
  public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state)
      throws Exception {
    return PLAYS.get(context.agent().id().name()).iterate(context, state);
  }
}
