package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.Agent.BackgroundProcess;
import dev.colony.agent.author.Agent.Inference;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.capability.CapabilityType.BackgroundMethod;
import dev.colony.core.dispatch.DispatchSettings;
import dev.colony.core.dispatch.LogNames;
import dev.colony.vcm.PageStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An agent while it is in memory with something to do. Each time that it comes to life it is
 * another object, so that what an earlier one left behind cannot act in the name of the present
 * one: once retired, it refuses whatever would be journaled or billed.
 */
final class ActiveAgent implements Agent {

  private static final RunId BACKGROUND = new RunId("background");

  private final AgentId id;
  private final AgentBlueprint blueprint;
  private final ActivationFactory.NodeServices services;
  private final HookRegistry hooks;
  private final Inference inference;
  private final CancellationToken token = new CancellationToken();

  /** Threads that do something in its own name. */
  private final Set<Thread> background = ConcurrentHashMap.newKeySet();

  private volatile List<AgentCapability> capabilities = List.of();
  private volatile List<BackgroundProcess> processes = List.of();
  private volatile Optional<CurrentStep> step = Optional.empty();

  ActiveAgent(
      AgentId id,
      AgentBlueprint blueprint,
      ActivationFactory.NodeServices services,
      HookRegistry hooks) {
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
    decided();
    return services.families().of(id, this::context, this::waiting);
  }

  @Override
  public WhileWaiting waiting() {
    decided();
    return currentStep().map(current -> current.token().lendPermit()).orElse(WhileWaiting.NOTHING);
  }

  @Override
  public void emit(String name, JsonNode data) {
    DispatchSettings.checkEvent(name, data);
    step().journal().emit(name, data);
  }

  @Override
  public Colony colony() {
    decided();
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

  /** What the step was decided by is durable before it waits, or other agents hear of it. */
  private void decided() {
    currentStep().ifPresent(current -> current.journal().flush());
  }

  /** The step that the calling thread works for; empty for a background process. */
  Optional<CurrentStep> currentStep() {
    return background.contains(Thread.currentThread()) ? Optional.empty() : step;
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
    background.add(Thread.currentThread());
    try {
      process.run();
    } finally {
      background.remove(Thread.currentThread());
    }
  }

  /** It leaves memory; what it still does is void. */
  void retire() {
    token.cancel();
    capabilities.forEach(AgentCapability::close);
  }

  /** The background processes of one agent, each on a thread of its own until the agent retires. */
  static final class BackgroundLoops {

    private static final Logger LOG = LoggerFactory.getLogger(BackgroundLoops.class);

    private record Loop(AgentCapability capability, BackgroundMethod method) {}

    private final ActiveAgent agent;
    private final List<Loop> loops = new ArrayList<>();

    BackgroundLoops(ActiveAgent agent, List<AgentCapability> capabilities) {
      this.agent = agent;
      for (AgentCapability capability : capabilities) {
        for (BackgroundMethod method : CapabilityType.of(capability.getClass()).backgrounds()) {
          loops.add(new Loop(capability, method));
        }
      }
    }

    /** As the planning prompt names them. */
    List<BackgroundProcess> named() {
      return loops.stream()
          .map(loop ->
              new BackgroundProcess(
                  loop.capability().capabilityKey(), loop.method().name(), loop.method().effect()))
          .toList();
    }

    void start(Executor threads) {
      LogNames names = LogNames.of(agent.id());
      loops.forEach(loop -> threads.execute(names.on(() -> agent.inBackground(() -> run(loop)))));
    }

    private void run(Loop loop) {
      Thread self = Thread.currentThread();
      agent.token().onCancel(self::interrupt);
      boolean works = true;
      do {
        works = called(loop, works);
      } while (paused(loop));
    }

    /**
     * @param worked whether it did the last time; a failure is reported only then
     */
    private boolean called(Loop loop, boolean worked) {
      try {
        loop.method().call(loop.capability());
        return true;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } catch (Throwable failure) {
        StepRunner.Failures.throwIfOfMachine(failure);
        if (worked && !agent.token().cancelled()) {
          LOG.warn(
              "the background process {} of {} in agent {} failed: {}; it is called again",
              loop.method().name(),
              loop.capability().capabilityKey(),
              agent.id(),
              failure.toString());
        }
      }
      return false;
    }

    private boolean paused(Loop loop) {
      try {
        TimeUnit.NANOSECONDS.sleep(loop.method().every().toNanos());
        return !agent.token().cancelled();
      } catch (InterruptedException retired) {
        return false;
      }
    }
  }
}
