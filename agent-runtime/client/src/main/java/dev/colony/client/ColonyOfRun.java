package dev.colony.client;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.Scope;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * A colony as the code of a run may use it.
 *
 * @param agents makes the handle that is used on behalf of a run
 */
public record ColonyOfRun(
    Colony whole,
    BiFunction<AgentId, Optional<ExecutionContext>, AgentHandle> agents,
    ExecutionContext context)
    implements Colony {

  @Override
  public AgentHandle agent(AgentId id) {
    check(id.scope());
    return agents.apply(id, Optional.of(context));
  }

  @Override
  public CompletableFuture<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint) {
    throw AgentException.refused(
        "run " + context.run() + " may not spawn " + id + " but as a child of its agent");
  }

  @Override
  public Sessions sessions(String tenant, String colony) {
    check(Scope.colony(tenant, colony));
    return whole.sessions(tenant, colony);
  }

  @Override
  public Colony within(ExecutionContext other) {
    check(Scope.colony(other.tenant(), other.colony()));
    return new ColonyOfRun(whole, agents, other);
  }

  private void check(Scope scope) {
    if (!context.covers(scope)) {
      throw AgentException.refused(
          "run %s of %s/%s may not reach %s"
              .formatted(context.run(), context.tenant(), context.colony(), scope));
    }
  }
}
