package dev.colony.bench.failover;

import com.fasterxml.jackson.databind.node.LongNode;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;

/** Registers what the benchmark's agents are made of. */
public final class FailoverTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(Whereabouts.class);
  }

  /** Answers each run at once with the process id of the node that the agent lives on. */
  @Registered(Whereabouts.TYPE)
  static class Whereabouts extends BaseActionPolicy {

    static final String TYPE = "bench.whereabouts";

    Whereabouts(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return Decision.Complete.with(LongNode.valueOf(ProcessHandle.current().pid()));
    }
  }
}
