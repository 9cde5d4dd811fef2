package dev.colony.client;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.BlackboardSuspensions;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.client.session.BlackboardSessions;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Reaches agents over a blackboard. Holds no resource of its own. */
public final class BlackboardColony implements Colony {

  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final HomeResolver homes;
  private final ClientSettings settings;
  private final Supplier<AgentHistory> history;

  /**
   * One that does not reach the journal: its handles have no history and fork nothing.
   *
   * @param homes where new agents are to live
   */
  public BlackboardColony(Blackboards blackboards, HomeResolver homes, ClientSettings settings) {
    this(
        blackboards,
        homes,
        settings,
        () -> {
          throw AgentException.refused("this handle has no way to the journal");
        });
  }

  /**
   * @param homes where new agents are to live
   * @param history asked for when it is first needed, and each time after
   */
  public BlackboardColony(
      Blackboards blackboards,
      HomeResolver homes,
      ClientSettings settings,
      Supplier<AgentHistory> history) {
    this.history = history;
    this.blackboards = blackboards;
    this.directory = new AgentDirectory(blackboards);
    this.homes = homes;
    this.settings = settings;
  }

  @Override
  public AgentHandle agent(AgentId id) {
    return agent(id, Optional.empty());
  }

  private AgentHandle agent(AgentId id, Optional<ExecutionContext> origin) {
    return new BlackboardAgent(id, blackboards, directory, homes, settings, history, origin);
  }

  @Override
  public CompletableFuture<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint) {
    return directory
        .enter(id, homes.homeOf(id, blueprint), blueprint)
        .thenApply(entry -> agent(id))
        .toCompletableFuture();
  }

  @Override
  public Sessions sessions(String tenant, String colony) {
    return new BlackboardSessions(blackboards, tenant, colony, blackboards.clock());
  }

  @Override
  public ScopeSuspensions suspensions() {
    return new BlackboardSuspensions(blackboards);
  }

  @Override
  public Colony within(ExecutionContext context) {
    return new ColonyOfRun(this, this::agent, context);
  }

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
    public ScopeSuspensions suspensions() {
      throw AgentException.refused("run " + context.run() + " may not suspend whole scopes");
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
}
