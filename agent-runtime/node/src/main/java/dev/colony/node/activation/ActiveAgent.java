package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.Inference;
import dev.colony.agent.author.WhileWaiting;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.vcm.PageStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * An agent while it is in memory with something to do. Each time that it comes to life it is
 * another object, so that what an earlier one left behind cannot act in the name of the present
 * one: once retired, it refuses whatever would be journaled or billed.
 */
final class ActiveAgent implements Agent {

  private static final RunId BACKGROUND = new RunId("background");

  private final AgentId id;
  private final AgentBlueprint blueprint;
  private final NodeServices services;
  private final HookRegistry hooks;
  private final Inference inference;
  private final CancellationToken token = new CancellationToken();
  private final ThreadLocal<Boolean> background = ThreadLocal.withInitial(() -> false);
  private volatile List<AgentCapability> capabilities = List.of();
  private volatile List<BackgroundProcess> processes = List.of();
  private volatile Optional<CurrentStep> step = Optional.empty();

  ActiveAgent(AgentId id, AgentBlueprint blueprint, NodeServices services, HookRegistry hooks) {
    this.id = id;
    this.blueprint = blueprint;
    this.services = services;
    this.hooks = hooks;
    this.inference = services.models().of(this);
  }

  @Override
  public AgentId id() {
    return id;
  }

  @Override
  public AgentBlueprint blueprint() {
    return blueprint;
  }

  @Override
  public ExecutionContext context() {
    return currentStep()
        .map(CurrentStep::context)
        .orElseGet(() -> ExecutionContext.of(id, BACKGROUND));
  }

  @Override
  public Inference inference() {
    return inference;
  }

  @Override
  public PageStore pages() {
    return service(PageStore.class);
  }

  @Override
  public Blackboard blackboard(Scope scope) {
    if (!context().covers(scope)) {
      throw AgentException.refused(
          "the scope " + scope.path() + " is not of the agent's tenant and colony: " + id);
    }
    return services.ports().get(Blackboards.class).open(scope, id.persistenceId());
  }

  @Override
  public Optional<AgentId> parent() {
    return services.families().parent(id).toCompletableFuture().join();
  }

  @Override
  public Children children() {
    return services.families().of(id, this::context, this::waiting);
  }

  @Override
  public WhileWaiting waiting() {
    return currentStep().map(current -> current.token().lendPermit()).orElse(WhileWaiting.NOTHING);
  }

  @Override
  public void emit(String name, JsonNode data) {
    services.actionThreads().settings().checkEvent(name, data);
    step().journal().emit(name, data);
  }

  @Override
  public Colony colony() {
    return services.ports().get(Colony.class).within(context());
  }

  @Override
  public HookRegistry hooks() {
    return hooks;
  }

  @Override
  public List<AgentCapability> capabilities() {
    return capabilities;
  }

  @Override
  public List<BackgroundProcess> backgroundProcesses() {
    return processes;
  }

  @Override
  public <T> T service(Class<T> port) {
    if (port == Blackboards.class) {
      throw AgentException.refused("an agent opens its blackboards by Agent.blackboard(scope)");
    }
    if (port == PageStore.class) {
      return port.cast(services.ports().get(PageStore.class).of(id.tenant()));
    }
    return port == Colony.class ? port.cast(colony()) : services.ports().get(port);
  }

  /** The step that the calling thread works for; empty for a background process. */
  Optional<CurrentStep> currentStep() {
    return background.get() ? Optional.empty() : step;
  }

  /**
   * The same where there has to be one.
   *
   * @throws CancellationException if there is none (any more)
   */
  CurrentStep step() {
    token.check();
    return currentStep()
        .orElseThrow(() -> new CancellationException("agent " + id + " is not in a step"));
  }

  /** Ends when the agent leaves memory. */
  CancellationToken token() {
    return token;
  }

  void enter(CurrentStep next) {
    step = Optional.of(next);
  }

  void leave() {
    step = Optional.empty();
  }

  void equip(List<AgentCapability> all, List<BackgroundProcess> named) {
    capabilities = List.copyOf(all);
    processes = List.copyOf(named);
  }

  /** Has something done in the agent's own name, beside its steps. */
  void inBackground(Runnable process) {
    background.set(true);
    try {
      process.run();
    } finally {
      background.remove();
    }
  }

  /** It leaves memory; what it still does is void. */
  void retire() {
    token.cancel();
    capabilities.forEach(AgentCapability::close);
  }
}
