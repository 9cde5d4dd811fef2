package dev.colony.node.admission;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.client.directory.BlackboardSuspensions;
import dev.colony.client.directory.ChildService;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.InferenceGateway;
import dev.colony.node.NodePorts;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node knows of tenants, colonies and trees of agents that are suspended as a whole.
 *
 * <p>It reads them once a second, whatever happens, so that nothing has to reach it and no agent
 * has to be told: what is at work here follows the watch, and is told when something has changed.
 * What was read is good for {@link ScopeSuspensions#BOUND_SECONDS}; a model call that comes later
 * has it read again first, so that a node that is cut off from the blackboard begins none.
 *
 * <p>Whether an agent belongs to a tree is looked up when a tree of its colony is suspended, from
 * the agent upwards, once. Thread-safe; no call blocks.
 */
public final class ScopeWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ScopeWatch.class);

  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration GOOD = Duration.ofSeconds(ScopeSuspensions.BOUND_SECONDS);

  /** What was read last. */
  private record Known(List<ScopeSuspension> scopes, Optional<Stopwatch> since) {

    boolean newerThan(Stopwatch other) {
      return since.filter(own -> own.elapsedNanos() < other.elapsedNanos()).isPresent();
    }
  }

  private final Supplier<CompletionStage<List<ScopeSuspension>>> store;
  private final Function<AgentId, CompletionStage<Optional<AgentId>>> parents;
  private final Backoff backoff;
  private final Map<Object, Runnable> followers = new ConcurrentHashMap<>();
  private final Map<AgentId, Set<AgentId>> ancestors = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofVirtual().name("suspended-scopes").factory());
  private volatile Known known = new Known(List.of(), Optional.empty());
  private CompletableFuture<Void> reading = nothing();

  /**
   * @param store reads what is suspended
   * @param parents of agents: who has spawned them
   * @param backoff between attempts while the blackboard cannot be reached
   */
  ScopeWatch(
      Supplier<CompletionStage<List<ScopeSuspension>>> store,
      Function<AgentId, CompletionStage<Optional<AgentId>>> parents,
      Backoff backoff) {
    this.store = store;
    this.parents = parents;
    this.backoff = backoff;
    timer.scheduleWithFixedDelay(this::look, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** One that lives as long as its node. */
  public static ScopeWatch start(
      ActorSystem<?> system, Blackboards blackboards, ChildService families, Backoff backoff) {
    ScopeWatch watch =
        new ScopeWatch(new BlackboardSuspensions(blackboards)::all, families::parent, backoff);
    system.getWhenTerminated().thenRun(watch::close);
    return watch;
  }

  /** The services of a node with this one, and with a gateway that goes by it. */
  public NodePorts offered(NodePorts services) {
    return services
        .with(ScopeWatch.class, this)
        .with(
            InferenceGateway.class,
            new SuspendableModels(services.get(InferenceGateway.class), this));
  }

  private void look() {
    read()
        .exceptionally(failure -> {
          LOG.debug("what is suspended as a whole cannot be read", failure);
          return null;
        })
        .join();
  }

  /** Reads, or waits for the reading that is under way. */
  private synchronized CompletableFuture<Void> read() {
    if (reading.isDone()) {
      Stopwatch begun = Stopwatch.start();
      reading =
          CompletableFuture.completedFuture(begun)
              .thenCompose(now -> store.get())
              .thenAccept(found -> take(found, begun));
    }
    return reading;
  }

  private void take(List<ScopeSuspension> found, Stopwatch begun) {
    boolean changed;
    synchronized (followers) {
      if (known.newerThan(begun)) {
        return;
      }
      changed = !found.equals(known.scopes()) || known.since().isEmpty();
      known = new Known(List.copyOf(found), Optional.of(begun));
    }
    if (found.stream().noneMatch(one -> one.scope().level() == ScopeLevel.AGENT)) {
      ancestors.clear();
    }
    if (changed) {
      followers.values().forEach(Runnable::run);
    }
  }

  /**
   * Has something done whenever what is suspended has changed, on any thread; it must not block.
   *
   * @param who takes the place of what it has given before
   */
  public void follow(Object who, Runnable changed) {
    followers.put(who, changed);
  }

  public void forget(Object who) {
    followers.remove(who);
  }

  /** Whether {@link #suspension} can be told of an agent, or of a tenant. */
  public boolean knows(String tenant, Optional<AgentId> agent) {
    Known now = known;
    boolean lineage =
        agent
            .filter(one -> !ancestors.containsKey(one))
            .filter(one -> now.scopes().stream().anyMatch(tree -> treeNear(tree.scope(), one)))
            .isEmpty();
    return now.since().isPresent() && lineage;
  }

  /** Whether what is known is so new that a model call may begin by it. */
  boolean good() {
    return known.since().filter(since -> !since.isOver(GOOD)).isPresent();
  }

  /** Finds out what is missing for {@link #knows}, and what is suspended now. */
  public CompletionStage<Void> learn(Optional<AgentId> agent, BooleanSupplier givenUp) {
    return backoff.repeat(
        "looking what is suspended as a whole",
        givenUp,
        () -> read().thenCompose(done -> agent.map(this::climb).orElseGet(ScopeWatch::nothing)));
  }

  private CompletableFuture<Void> climb(AgentId agent) {
    if (ancestors.containsKey(agent)
        || known.scopes().stream().noneMatch(tree -> treeNear(tree.scope(), agent))) {
      return nothing();
    }
    return climb(agent, Set.of())
        .thenAccept(all -> ancestors.put(agent, all))
        .toCompletableFuture();
  }

  private static CompletableFuture<Void> nothing() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletionStage<Set<AgentId>> climb(AgentId agent, Set<AgentId> below) {
    return parents
        .apply(agent)
        .thenCompose(parent -> {
          if (parent.isEmpty() || below.contains(parent.get())) {
            return CompletableFuture.completedStage(below);
          }
          Set<AgentId> more = new HashSet<>(below);
          more.add(parent.get());
          return climb(parent.get(), more);
        });
  }

  /**
   * What an agent, or a tenant's call without one, is suspended by: of several the largest scope.
   * By what is {@linkplain #knows known}.
   */
  public Optional<ScopeSuspension> suspension(String tenant, Optional<AgentId> agent) {
    List<ScopeSuspension> scopes = known.scopes();
    return scopes.isEmpty()
        ? Optional.empty()
        : scopes.stream().filter(one -> covers(one.scope(), tenant, agent)).findFirst();
  }

  private boolean covers(Scope scope, String tenant, Optional<AgentId> agent) {
    return switch (scope.level()) {
      case TENANT -> scope.tenant().equals(tenant);
      case COLONY -> agent.filter(one -> inColony(scope, one)).isPresent();
      case AGENT, SESSION -> {
        AgentId top = ScopeSuspension.top(scope);
        yield agent
            .filter(one -> one.equals(top) || ancestors.getOrDefault(one, Set.of()).contains(top))
            .isPresent();
      }
    };
  }

  /** Whether an agent may belong to a tree: children live in their parents' colonies. */
  private static boolean treeNear(Scope scope, AgentId agent) {
    return scope.level() == ScopeLevel.AGENT && inColony(scope, agent);
  }

  private static boolean inColony(Scope scope, AgentId agent) {
    return scope.tenant().equals(agent.tenant())
        && scope.colony().filter(agent.colony()::equals).isPresent();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
