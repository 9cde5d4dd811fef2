package dev.colony.node.lease;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.Resource;
import dev.colony.core.capacity.ResourceExhausted;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptCaches;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.LeaseHolder;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.lease.Report;
import dev.colony.vcm.table.GroupAssignment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The leases of a node's agents: asked before each step, told of model calls, actions and waits.
 * Only an agent without a lease waits, and nothing here waits for the authority. Thread-safe; what
 * a waiter is told, is told outside the lock.
 *
 * <p>An agent needs a lease once its prompts are known here, by a call that it has made, or where
 * its blueprint binds it to pages or says how many tokens it expects; unless no replica serves its
 * model, nor one that stands in for it. Where another of these answers than before, it gives its
 * lease back and asks for one there. The first step of another agent runs without one, and its
 * calls go where they cost least.
 */
public final class NodeLeases {

  /** Hears what becomes of a wait; one of both, once, unless the agent was told to rest before. */
  public interface Waiter {

    void granted();

    /** It is not to wait in memory any longer; it is woken when it has a lease. */
    void sentAway(ResourceExhausted why);
  }

  private record Waiting(Waiter waiter, double since, long tokens) {}

  /** The first tokens of replies that the authority is to hear of. */
  record FirstTokens(String agent, long epoch, long turn) {}

  private static final long INCARNATIONS = 1L << 22;

  private final LeaseSettings settings;
  private final PromptCaches caches;
  private final ExpectedPrompts expected;
  private final LongSupplier nanos;
  private final LeaseHolder holder;
  private final ActionDurations actions;
  private final Map<String, Waiting> waiting = new HashMap<>();
  private final Map<String, Ask> prompts;
  private final Map<String, Integer> expectedCalls;
  private final Map<String, Integer> calls = new HashMap<>();
  private final List<FirstTokens> firstTokens = new ArrayList<>();

  /**
   * @param node names this process among all that ever were
   * @param groups the pages of a group; empty for one that is not known
   * @param nanos a clock that never goes back
   */
  public NodeLeases(
      String node,
      LeaseSettings settings,
      PromptCaches caches,
      Function<PageGroupId, Optional<GroupAssignment>> groups,
      LongSupplier nanos) {
    this.settings = settings;
    this.caches = caches;
    this.expected = new ExpectedPrompts(groups, settings.batchBlocks());
    this.nanos = nanos;
    this.holder = new LeaseHolder(node, settings.times());
    this.actions = new ActionDurations(settings.remembered());
    this.prompts = latest(settings.remembered());
    this.expectedCalls = latest(settings.remembered());
  }

  private static <T> Map<String, T> latest(int most) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
        return size() > most;
      }
    };
  }

  private double now() {
    return nanos.getAsLong() / 1e9;
  }

  /**
   * An agent is to begin a step.
   *
   * @param incarnation of the agent
   * @param waited for how long it has waited for this already
   * @param waiter is told what becomes of the wait, where it has to
   * @return whether it may begin now
   */
  public synchronized boolean begins(
      AgentId agent, long incarnation, AgentBlueprint blueprint, Duration waited, Waiter waiter) {
    String key = agent.persistenceId();
    Optional<Ask> prompt = prompt(key, blueprint);
    if (prompt.isEmpty()) {
      return true;
    }
    double now = now();
    if (holder
        .lease(key, now)
        .filter(held -> prompt.get().excluded().contains(held.replica()))
        .isPresent()) {
      // Another model answers it now than when the lease was granted.
      holder.ends(key, false);
    }
    Optional<Lease> lease =
        holder.begins(
            key,
            Math.min(incarnation, INCARNATIONS),
            prompt.get(),
            LeaseSettings.seconds(waited),
            now);
    if (lease.isPresent()) {
      waiting.remove(key);
      return true;
    }
    waiting.put(key, new Waiting(waiter, now, prompt.get().promptTokens()));
    return false;
  }

  /** What an agent is expected to need; empty where that is not known, or no replica serves it. */
  private Optional<Ask> prompt(String agent, AgentBlueprint blueprint) {
    Set<String> excluded;
    try {
      excluded = caches.excluded(blueprint.model());
    } catch (InferenceException noSuchModel) {
      return Optional.empty();
    }
    if (caches.caches().stream().allMatch(cache -> excluded.contains(cache.replica()))) {
      return Optional.empty();
    }
    return Optional.ofNullable(prompts.get(agent))
        .or(() -> expected.of(agent, blueprint, caches.blockTokens()))
        .map(ask -> ask.excluding(excluded));
  }

  /**
   * A model call of an agent begins.
   *
   * @return the replica that it has a lease at; empty where it has none
   */
  public Optional<String> calls(AgentId agent, InferenceRequest request) {
    Ask ask;
    try {
      // Outside the lock: it reads the whole prompt.
      ask = caches.ask(request);
    } catch (InferenceException noSuchModel) {
      return Optional.empty();
    }
    String key = agent.persistenceId();
    synchronized (this) {
      prompts.put(key, ask);
      calls.merge(key, 1, Integer::sum);
      return holder.calls(key, ask, now()).map(Lease::replica);
    }
  }

  /** The first token of a reply has come. */
  public synchronized void answers(AgentId agent) {
    String key = agent.persistenceId();
    if (firstTokens.size() < settings.batch()) {
      holder
          .lease(key, now())
          .ifPresent(
              lease -> firstTokens.add(new FirstTokens(key, lease.epoch(), holder.turn(key))));
    }
  }

  /** A model call of an agent has ended, whatever came of it. */
  public synchronized void called(AgentId agent) {
    String key = agent.persistenceId();
    if (calls.merge(key, -1, Integer::sum) <= 0) {
      calls.remove(key);
      holder.rests(key, OptionalDouble.empty(), toCome(key), now());
    }
  }

  /** An action of an agent begins: it calls no model by itself until the action has ended. */
  public synchronized void acts(AgentId agent, String action) {
    rest(agent.persistenceId(), actions.of(action));
  }

  /** An action has ended. */
  public synchronized void acted(String action, Duration took) {
    actions.took(action, LeaseSettings.seconds(took));
  }

  /** An agent does not work any more, or not for now. A wait of it ends. */
  public synchronized void rests(AgentId agent, NextUse next) {
    String key = agent.persistenceId();
    waiting.remove(key);
    switch (next) {
      case NextUse.In in -> rest(key, OptionalDouble.of(LeaseSettings.seconds(in.time())));
      case NextUse.Unknown unknown -> rest(key, OptionalDouble.empty());
      case NextUse.Never never -> {
        calls.remove(key);
        expectedCalls.remove(key);
        holder.ends(key, true);
      }
    }
  }

  /**
   * How many model calls an agent's run is still to make.
   *
   * @param more from 0
   */
  public synchronized void expects(AgentId agent, int more) {
    expectedCalls.put(agent.persistenceId(), Math.max(0, more));
  }

  private OptionalInt toCome(String agent) {
    Integer known = expectedCalls.get(agent);
    return known == null ? OptionalInt.empty() : OptionalInt.of(known);
  }

  private void rest(String agent, OptionalDouble returnsIn) {
    if (!calls.containsKey(agent)) {
      holder.rests(agent, returnsIn, toCome(agent), now());
    }
  }

  /** What the authority is to be told now. */
  synchronized List<Report> reports() {
    return holder.reports(now());
  }

  synchronized List<FirstTokens> firstTokens() {
    List<FirstTokens> told = List.copyOf(firstTokens);
    firstTokens.clear();
    return told;
  }

  /** Takes what the authority says. */
  void hear(List<? extends LeaseOrder.ToHolder> orders) {
    List<Runnable> told = new ArrayList<>();
    synchronized (this) {
      double now = now();
      for (LeaseOrder.ToHolder order : orders) {
        if (holder.on(order, now)) {
          Waiting one = waiting.remove(order.agent());
          if (one == null) {
            // It has been told to rest meanwhile.
            holder.rests(order.agent(), OptionalDouble.empty(), OptionalInt.empty(), now);
          } else {
            told.add(one.waiter()::granted);
          }
        }
      }
    }
    told.forEach(Runnable::run);
  }

  /**
   * Sends those away that have waited in memory for long. Where the authority has not answered yet,
   * the answer may be on its way, and is waited for a term longer. To be called now and then.
   */
  void tick() {
    List<Runnable> told = new ArrayList<>();
    synchronized (this) {
      double before = now() - LeaseSettings.seconds(settings.patience());
      double unanswered = before - settings.times().termSeconds();
      for (Map.Entry<String, Waiting> one : List.copyOf(waiting.entrySet())) {
        double since = one.getValue().since();
        if (since <= unanswered || (since <= before && holder.hasToWait(one.getKey()))) {
          waiting.remove(one.getKey());
          holder.parks(one.getKey());
          Waiting away = one.getValue();
          ResourceExhausted why = new ResourceExhausted(Resource.KV_TOKENS, away.tokens(), 0);
          told.add(() -> away.waiter().sentAway(why));
        }
      }
    }
    told.forEach(Runnable::run);
  }

  /** The caches that this node's gateway may use. */
  List<PromptCaches.Cache> caches() {
    return caches.caches();
  }

  double blockTokens() {
    return caches.blockTokens();
  }

  /** How many agents of this node hold a lease. */
  public synchronized int holding() {
    return holder.holding();
  }

  /** How many agents wait in this node's memory. */
  public synchronized int waiting() {
    return waiting.size();
  }
}
