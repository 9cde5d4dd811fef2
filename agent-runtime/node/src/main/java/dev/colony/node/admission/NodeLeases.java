package dev.colony.node.admission;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentResources;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted.Resource;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptCaches;
import dev.colony.node.NodeBounds;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.LeaseHolder;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.lease.Report;
import dev.colony.vcm.table.GroupAssignment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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
 * model, nor one that stands in for it, or one of these has not said how large its cache is: what
 * has room there is not known. One that is bound to pages lives where its pages are to be, so it
 * asks for a place at the replica of its own node alone, where that node has one. Where another of
 * these answers than before, it gives its lease back and asks for one there. The first step of
 * another agent runs without one, and its calls go where they cost least.
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

  /** Agents whose last prompts are remembered, and kinds of actions; about 2 KiB each. */
  private static final int REMEMBERED = 10_000;

  private final String address;
  private final Duration bound;
  private final NodeBounds.Leases bounds;
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
   * @param bound that an agent waits before it goes before all others
   * @param nanos a clock that never goes back
   */
  public NodeLeases(
      String node,
      Duration bound,
      NodeBounds.Leases bounds,
      PromptCaches caches,
      Function<PageGroupId, Optional<GroupAssignment>> groups,
      LongSupplier nanos) {
    // COLONY@HOST:PORT#INCARNATION; caches are named by where their nodes listen.
    this.address = node.substring(node.indexOf('@') + 1, node.indexOf('#'));
    this.bound = bound;
    this.bounds = bounds;
    this.caches = caches;
    this.expected = new ExpectedPrompts(groups, LeaseMessage.BATCH_BLOCKS);
    this.nanos = nanos;
    this.holder = new LeaseHolder(node, bounds.times());
    this.actions = new ActionDurations(REMEMBERED);
    this.prompts = latest(REMEMBERED);
    this.expectedCalls = latest(REMEMBERED);
  }

  /** Keeps so many, those that were used last. */
  private static <T> Map<String, T> latest(int most) {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
        return size() > most;
      }
    };
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
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
            seconds(waited) + headStart(blueprint.resources().priority()),
            now);
    if (lease.isPresent()) {
      waiting.remove(key);
      return true;
    }
    waiting.put(key, new Waiting(waiter, now, prompt.get().promptTokens()));
    return false;
  }

  /**
   * Seconds that an agent counts as having waited before it came: for each point of priority above
   * the usual one an equal part of the bound, so that one of the highest goes before all others.
   */
  private double headStart(int priority) {
    int usual = AgentResources.DEFAULT.priority();
    double points = Math.max(0, priority - usual);
    return seconds(bound) * points / (AgentResources.MOST_PRIORITY - usual);
  }

  private boolean isOwn(PromptCaches.Cache cache) {
    return cache.node().equals(address);
  }

  /** What an agent is expected to need; empty where that is not known, or no replica serves it. */
  private Optional<Ask> prompt(String agent, AgentBlueprint blueprint) {
    Set<String> excluded = new HashSet<>();
    try {
      excluded.addAll(caches.excluded(blueprint.model()));
    } catch (InferenceException noSuchModel) {
      return Optional.empty();
    }
    List<PromptCaches.Cache> places =
        caches.caches().stream().filter(cache -> !excluded.contains(cache.replica())).toList();
    if (places.isEmpty() || places.stream().anyMatch(cache -> cache.blocks() == 0)) {
      return Optional.empty();
    }
    if (blueprint.pages().isPresent() && places.stream().anyMatch(this::isOwn)) {
      places.stream()
          .filter(cache -> !isOwn(cache))
          .forEach(cache -> excluded.add(cache.replica()));
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
    if (firstTokens.size() < LeaseMessage.BATCH) {
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
    actions.took(action, seconds(took));
  }

  /** An agent does not work any more, or not for now. A wait of it ends. */
  public synchronized void rests(AgentId agent, NextUse next) {
    String key = agent.persistenceId();
    waiting.remove(key);
    switch (next) {
      case NextUse.In in -> rest(key, OptionalDouble.of(seconds(in.time())));
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
    return Optional.ofNullable(expectedCalls.get(agent)).stream().mapToInt(i -> i).findFirst();
  }

  private void rest(String agent, OptionalDouble returnsIn) {
    if (!calls.containsKey(agent)) {
      holder.rests(agent, returnsIn, toCome(agent), now());
    }
  }

  synchronized List<Report> reports() {
    return holder.reports(now());
  }

  synchronized List<FirstTokens> firstTokens() {
    List<FirstTokens> told = List.copyOf(firstTokens);
    firstTokens.clear();
    return told;
  }

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
      double before = now() - seconds(bounds.patience());
      double unanswered = before - bounds.times().termSeconds();
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

  /** The caches that this node's gateway may use and whose size is known. */
  List<PromptCaches.Cache> caches() {
    return caches.caches().stream().filter(cache -> cache.blocks() > 0).toList();
  }

  double blockTokens() {
    return caches.blockTokens();
  }

  public synchronized int waiting() {
    return waiting.size();
  }

  /** How long each kind of action takes, as was seen of late. Not thread-safe. */
  static final class ActionDurations {

    /** How much of the mean a new observation makes up, once there are several. */
    private static final double RECENT = 0.2;

    private record Seen(double mean, int times) {
      Seen and(double seconds) {
        double part = Math.max(RECENT, 1.0 / (times + 1));
        return new Seen(mean + part * (seconds - mean), times + 1);
      }
    }

    private final Map<String, Seen> seen;

    /**
     * @param most kinds that are remembered, those that were seen last
     */
    ActionDurations(int most) {
      seen = latest(most);
    }

    void took(String kind, double seconds) {
      seen.merge(kind, new Seen(seconds, 1), (before, one) -> before.and(seconds));
    }

    /** Seconds; empty for a kind that was not seen. */
    OptionalDouble of(String kind) {
      return Optional.ofNullable(seen.get(kind)).stream().mapToDouble(Seen::mean).findFirst();
    }
  }

  /**
   * What an agent's first prompt is expected to take of a cache, before it has called a model: the
   * pages that it is bound to, which those who are bound to the same have in common, and what more
   * its blueprint expects; by blocks that stand for those that are not known yet. Thread-safe.
   *
   * @param groups the pages of a group; empty for one that is not known
   * @param mostBlocks that a prompt is expected to have at most
   */
  record ExpectedPrompts(Function<PageGroupId, Optional<GroupAssignment>> groups, int mostBlocks) {

    /** Spreads numbers that are close to each other over all that there are. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /**
     * That of an agent.
     *
     * @param blockTokens tokens of a block, above 0
     * @return empty where nothing says how large it is
     */
    Optional<Ask> of(String agent, AgentBlueprint blueprint, double blockTokens) {
      Optional<GroupAssignment> group =
          blueprint.pages().flatMap(groups).filter(known -> !known.pages().isEmpty());
      long pages = group.map(known -> (long) known.sizeTokens()).orElse(0L);
      long own = Math.max(0, blueprint.resources().expectedTokens() - pages);
      if (pages + own <= 0) {
        return Optional.empty();
      }
      int pageBlocks = blocks(pages, blockTokens, mostBlocks);
      int ownBlocks =
          blocks(own, blockTokens, Math.max(pageBlocks > 0 ? 0 : 1, mostBlocks - pageBlocks));
      long[] blocks = new long[pageBlocks + ownBlocks];
      for (int i = 0; i < pageBlocks; i++) {
        blocks[i] = shared(group.orElseThrow().pages(), i, pageBlocks);
      }
      for (int i = 0; i < ownBlocks; i++) {
        blocks[pageBlocks + i] = ((long) agent.hashCode() << 32) ^ (SPREAD * (i + 1));
      }
      return Optional.of(even(blocks, pages + own));
    }

    private static int blocks(long tokens, double blockTokens, int most) {
      return (int) Math.min(most, Math.ceil(tokens / blockTokens));
    }

    /** A block of the pages in their order, as if all were of the same size. */
    private static long shared(List<PageId> pages, int block, int blocks) {
      int page = (int) ((long) block * pages.size() / blocks);
      return ((long) pages.get(page).hashCode() << 32) ^ (SPREAD * (block + 1)) ^ 1;
    }

    static Ask even(long[] blocks, long tokens) {
      double[] ends = new double[blocks.length];
      for (int i = 0; i < ends.length; i++) {
        ends[i] = (double) tokens * (i + 1) / ends.length;
      }
      return new Ask(
          blocks, ends, Math.max(1, tokens), 0, Optional.empty(), Optional.empty(), Set.of());
    }
  }
}
