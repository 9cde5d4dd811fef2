package dev.colony.inference.gateway;

import static dev.colony.inference.replicas.ReplicaHealth.SERVING;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.EngineCaches.TablePages;
import dev.colony.inference.gateway.HttpInferenceGateway.ReplicaStatus;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSet.Outcome;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.ClusterState.Backlog;
import dev.colony.vcm.schedule.ClusterState.Dispatch;
import dev.colony.vcm.schedule.CostRouter;
import dev.colony.vcm.schedule.CostRouter.Decision;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which replica a call goes to, and learns from what becomes of it: how fast replicas are,
 * what their caches hold, what waits for them. A decision and its effect on the next one are one
 * step, so that calls that come at once do not all go to the replica that was free.
 *
 * <p>What it knows of caches is its own ({@link EngineCaches}, {@link ClusterState}) and the
 * cluster's ({@link TablePages}).
 *
 * <p>Thread-safe; a decision costs O(replicas * blocks of the prompt) under a lock.
 */
final class CallRouter implements ReplicaMonitor.Listener {

  private static final Logger LOG = LoggerFactory.getLogger(CallRouter.class);

  /** What a replica says of its load is shown for so long. */
  private static final double LOAD_SECONDS = 60;

  /** The prompt whose time {@link ReplicaStatus#prefillSeconds} is. */
  private static final double PROMPT_TOKENS = 1000;

  private record Told(EngineLoad load, double at) {}

  /** A call on its way to a replica. */
  final class Sent {
    private final Replica replica;
    private final Dispatch dispatch;
    private final Optional<EngineCaches.Sent> followed;
    private final Decision.Run decision;
    private boolean begun;
    private boolean told;

    private Sent(
        Replica replica,
        Dispatch dispatch,
        Optional<EngineCaches.Sent> followed,
        Decision.Run decision) {
      this.replica = replica;
      this.dispatch = dispatch;
      this.followed = followed;
      this.decision = decision;
    }

    Replica replica() {
      return replica;
    }

    /** What was expected of it. */
    Decision.Run decision() {
      return decision;
    }

    /** How many of its prompt's tokens were expected in the replica's cache, in whole blocks. */
    long cached(long promptTokens) {
      long part = (long) (dispatch.cachedPart() * promptTokens);
      return part - part % blockTokens(replica.id());
    }

    /** It has left the waiting room. */
    void started() {
      synchronized (CallRouter.this) {
        state.started(dispatch, now());
      }
    }

    /** A part of its reply has come. */
    void part() {
      synchronized (CallRouter.this) {
        if (!begun) {
          begun = true;
          state.firstToken(dispatch, now());
        }
      }
    }

    /** It was answered. What is told of it first counts. */
    void answered(Usage usage, OptionalLong cachedTokens) {
      synchronized (CallRouter.this) {
        if (told) {
          return;
        }
        told = true;
        if (cachedTokens.isPresent() && usage.promptTokens() > 0) {
          state.cached(
              dispatch,
              dispatch.ask().cachedBlocks(cachedTokens.getAsLong(), usage.promptTokens()));
        }
        state.ended(dispatch, now(), true);
        followed.ifPresent(one -> caches.answered(one, usage, cachedTokens));
      }
      all.ended(replica.id(), Outcome.SUCCEEDED);
    }

    /** It was not. What is told of it first counts. */
    void failed(Outcome shown) {
      synchronized (CallRouter.this) {
        if (told) {
          return;
        }
        told = true;
        state.ended(dispatch, now(), false);
      }
      all.ended(replica.id(), shown);
    }
  }

  private final RoutingSettings settings;
  private final CostRouter router;
  private final TablePages pages;
  private final String ownNode;
  private final ReplicaSet all;
  private final LongSupplier clock;
  private final ClusterState state;
  private final Map<String, Replica> replicas = new LinkedHashMap<>();
  private final EngineCaches caches;
  private final Map<String, Told> loads = new HashMap<>();

  /**
   * @param clock nanoseconds
   */
  CallRouter(
      RoutingSettings settings,
      ResidencyView pages,
      String ownNode,
      ReplicaSet all,
      LongSupplier clock) {
    this.settings = settings;
    this.router = settings.router();
    this.pages = new TablePages(pages);
    this.ownNode = ownNode;
    this.all = all;
    this.clock = clock;
    this.state = new ClusterState(settings.schedule(RoutingSettings.BLOCK_TOKENS));
    this.caches = new EngineCaches(state);
  }

  /** The blocks of a request, to be computed once for all of its attempts. */
  PromptBlocks blocks(InferenceRequest request) {
    return PromptBlocks.of(request, RoutingSettings.BLOCK_CHARACTERS);
  }

  /** What was decided of a call. */
  sealed interface Route {

    record To(Sent sent) implements Route {}

    record Nowhere(Decision.Refusal why) implements Route {}
  }

  /**
   * Where a call would go now. Where no replica is well, all are tried: to keep calls from the only
   * ones that there are would make an outage longer.
   *
   * @param model whose replicas it may go to
   * @param excluded ids of those that it may not go to
   * @param full which have as many calls as they may
   */
  synchronized Decision decide(
      InferenceRequest request,
      PromptBlocks blocks,
      String model,
      Set<String> excluded,
      Predicate<Replica> full) {
    know(all.replicas());
    ClusterSnapshot snapshot = state.snapshot(now(), id -> access(replicas.get(id), full));
    List<ClusterSnapshot.Replica> known =
        snapshot.replicas().stream()
            .filter(one -> replicas.get(one.id()).model().equals(model))
            .map(one -> pages.added(one, request, blocks))
            .toList();
    Ask ask = blocks.ask(request, excluded);
    ClusterSnapshot whole =
        nearAgent(new ClusterSnapshot(snapshot.at(), known, snapshot.queueLength()), request, ask);
    Optional<Decision> home =
        request.context().replica().flatMap(replica -> atHome(whole, ask, replica));
    if (home.isPresent()) {
      return home.get();
    }
    Decision decision = router.route(whole, ask);
    if (decision.equals(new Decision.Hold(Decision.Refusal.UNAVAILABLE))) {
      List<ClusterSnapshot.Replica> tried =
          known.stream().map(ClusterSnapshot.Replica::asIfWell).toList();
      return router.route(whole.only(tried), ask);
    }
    return decision;
  }

  /** An agent lives where its pages are to be, for all calls that come after. */
  private ClusterSnapshot nearAgent(ClusterSnapshot whole, InferenceRequest request, Ask ask) {
    return request.context().agent().isPresent() && !request.prompt().pages().isEmpty()
        ? whole.near(id -> replicas.get(id).node().equals(ownNode), ask, RoutingSettings.AWAY)
        : whole;
  }

  /** At the replica where the caller has its working set; empty where that does not take it. */
  private Optional<Decision> atHome(ClusterSnapshot whole, Ask ask, String home) {
    List<ClusterSnapshot.Replica> only =
        whole.replicas().stream()
            .filter(one -> one.id().equals(home) && one.access().available())
            .toList();
    return only.isEmpty() || ask.excluded().contains(home)
        ? Optional.empty()
        : Optional.of(router.route(whole.only(only), ask));
  }

  /** The caches of the replicas that may be called now. */
  synchronized List<PromptCaches.Cache> caches() {
    know(all.replicas());
    return replicas.values().stream()
        .filter(one -> access(one, any -> false).available())
        .map(one ->
            new PromptCaches.Cache(
                one.id(),
                one.model(),
                state.toldBlocks(one.id()),
                one.node(),
                state.speed(one.id())))
        .toList();
  }

  /**
   * Decides where a call goes and counts it there; what becomes of it has to be told to the answer.
   *
   * @param streams of which replicas the parts of a reply come as they are made
   */
  synchronized Route send(
      InferenceRequest request,
      PromptBlocks blocks,
      String model,
      Set<String> excluded,
      Predicate<Replica> full,
      Predicate<Replica> streams) {
    return switch (decide(request, blocks, model, excluded, full)) {
      case Decision.Hold hold -> new Route.Nowhere(hold.why());
      case Decision.Run run -> {
        Replica replica = replicas.get(run.replica());
        all.sent(replica.id());
        yield new Route.To(
            new Sent(
                replica,
                state.dispatched(blocks.ask(request, excluded), run, now(), streams.test(replica)),
                caches.sent(run.replica(), request, blocks),
                run));
      }
    };
  }

  /** Reports that are made until it is closed. */
  interface Reports extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Tells the other gateways what this one waits for, and hears the same of them, until closed:
   * every {@link RoutingSettings#REPORT_INTERVAL}, while there is anything to tell and once when
   * there no longer is. Tells the observer as often which pages have come into caches and left
   * them.
   */
  Reports exchange(BacklogExchange others, CallObserver observer) {
    others.listen(this::reported);
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("gateway-reports").factory());
    AtomicBoolean told = new AtomicBoolean();
    each(
        timer,
        "the other gateways were not told what this one waits for",
        () -> {
          List<Backlog> backlogs = backlogs();
          if (told.getAndSet(!backlogs.isEmpty()) || !backlogs.isEmpty()) {
            others.publish(backlogs);
          }
        });
    each(
        timer,
        "it was not told which pages are in caches",
        () -> changedCaches().forEach(changed -> changed.tell(observer)));
    return timer::shutdownNow;
  }

  private void each(ScheduledExecutorService timer, String failed, Runnable work) {
    long interval = RoutingSettings.REPORT_INTERVAL.toNanos();
    timer.scheduleWithFixedDelay(
        () -> {
          try {
            work.run();
          } catch (RuntimeException failure) {
            LOG.warn(failed, failure);
          }
        },
        interval,
        interval,
        TimeUnit.NANOSECONDS);
  }

  private synchronized List<EngineCaches.Changed> changedCaches() {
    know(all.replicas());
    return caches.changed();
  }

  private synchronized List<Backlog> backlogs() {
    return state.backlogs(now());
  }

  private synchronized void reported(String gateway, List<Backlog> backlogs) {
    state.reported(gateway, backlogs, now());
  }

  /** How many blocks of a chain a replica is taken to hold, from its start on. */
  synchronized int held(String replica, long[] chain) {
    return state.snapshot(now(), id -> Access.OPEN).replicas().stream()
        .filter(one -> one.id().equals(replica))
        .mapToInt(one -> one.residency().prefix(chain))
        .findFirst()
        .orElse(0);
  }

  /** Tokens in a block of a replica's cache; 1 where it does not say. */
  private synchronized int blockTokens(String replica) {
    Told told = loads.get(replica);
    return told == null ? 1 : Math.max(1, told.load().blockTokens().orElse(1));
  }

  /** A replica's cache has used these blocks, by no call that was routed. */
  synchronized void touched(String replica, long[] chain) {
    state.touched(replica, chain);
  }

  /** How each replica stands. */
  synchronized List<ReplicaStatus> status() {
    know(all.replicas());
    Map<String, String> states = all.status();
    double now = now();
    return state.snapshot(now, id -> access(replicas.get(id), one -> false)).replicas().stream()
        .map(one ->
            new ReplicaStatus(
                one.id(),
                word(states.getOrDefault(one.id(), SERVING), one.access()),
                Optional.ofNullable(loads.get(one.id()))
                    .filter(told -> now - told.at() <= LOAD_SECONDS)
                    .map(Told::load),
                caches.follows(one.id()) && all.answers(one.id()),
                one.load().calls(),
                one.load().backlogSeconds(),
                one.speed().seconds(PROMPT_TOKENS, 0)))
        .toList();
  }

  private static String word(String state, Access access) {
    return state.equals(SERVING) && access.warm() < 1 ? "starting" : state;
  }

  @Override
  public synchronized void load(String replica, EngineLoad load) {
    state.measured(replica, load.running(), load.waiting(), now());
    loads.put(replica, new Told(load, now()));
    load.cacheTokens()
        .ifPresent(tokens ->
            state.cacheHolds(
                replica, (int) Math.min(Integer.MAX_VALUE, tokens / RoutingSettings.BLOCK_TOKENS)));
  }

  @Override
  public synchronized void events(String replica, List<KvEvent> events) {
    caches.events(replica, events);
  }

  @Override
  public synchronized void restarted(String replica) {
    if (caches.follows(replica)) {
      caches.events(replica, List.of(new KvEvent.Cleared()));
    } else {
      state.cleared(replica);
    }
  }

  private void know(Collection<Replica> now) {
    Map<String, Replica> next = new LinkedHashMap<>();
    now.forEach(one -> next.put(one.id(), one));
    if (next.equals(replicas)) {
      return;
    }
    replicas.forEach((id, one) -> {
      if (!one.equals(next.get(id))) {
        state.leave(id);
        caches.leave(id);
        loads.remove(id);
      }
    });
    now.forEach(one -> state.join(one.id(), one.model()));
    replicas.clear();
    replicas.putAll(next);
  }

  private Access access(Replica replica, Predicate<Replica> full) {
    boolean own = replica.node().equals(ownNode);
    return all.access(replica.id(), full.test(replica), own ? 0 : RoutingSettings.REACH_SECONDS);
  }

  private double now() {
    return clock.getAsLong() / 1e9;
  }
}
