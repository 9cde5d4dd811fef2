package dev.colony.node.admission;

import dev.colony.agent.AgentId;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.node.AgentListener;
import dev.colony.node.resumption.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.vcm.schedule.CacheControl;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.WorkingSetSettings;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.LeaseAuthority;
import dev.colony.vcm.schedule.lease.LeaseCounts;
import dev.colony.vcm.schedule.lease.LeaseEvent;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.table.NodeAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Subscribe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The authority of leases. One per cluster. What it knows is rebuilt from what nodes report where
 * it ends: it grants nothing for its grace then.
 */
final class AuthorityActor extends AbstractBehavior<LeaseMessage> {

  private static final Logger LOG = LoggerFactory.getLogger(AuthorityActor.class);

  /** Milliseconds since 1970 are the beginning of an authority's epochs: a million each. */
  private static final long EPOCHS = 1_000_000;

  /** How often time passes for it. */
  private static final Duration TICK = Duration.ofMillis(200);

  /** A part of all loads that were forced, from which on operators are told. */
  private static final double MANY_FORCED = 0.1;

  private static final int ENOUGH_GRANTED = 100;

  /** That of the first member of a cluster; no later one has it while any member is left. */
  private static final int FIRST_MEMBER = 1;

  /**
   * What it needs of its node.
   *
   * @param bound when an agent that waits goes before all others
   * @param begun whether an authority has begun in this process before
   */
  record Parts(
      LeaseTimes times,
      Duration bound,
      RoutingSettings routing,
      double blockTokens,
      CacheControl control,
      Resumptions resumptions,
      Rehoming rehoming,
      LeaseService.HeldAgents held,
      AgentListener listener,
      InstantSource clock,
      LongSupplier nanos,
      LeaseService.AuthorityRecord record,
      AtomicBoolean begun) {}

  private record Told(List<LeaseMessage.CacheLine> caches, double at) {}

  private final Parts parts;
  private final LeaseAuthority authority;
  private final Map<String, ActorRef<LeaseMessage.LeaseOrders>> nodes = new HashMap<>();
  private final Map<String, Told> told = new HashMap<>();
  private final Map<String, LeaseMessage.CacheLine> replicas = new TreeMap<>();
  private final long began;
  private boolean rebuilt;
  private boolean warned;

  static Behavior<LeaseMessage> create(Parts parts) {
    return Behaviors.setup(
        context -> Behaviors.withTimers(timers -> new AuthorityActor(context, timers, parts)));
  }

  private AuthorityActor(
      ActorContext<LeaseMessage> context, TimerScheduler<LeaseMessage> timers, Parts parts) {
    super(context);
    this.parts = parts;
    this.began = parts.nanos().getAsLong();
    ClusterState cluster = new ClusterState(parts.routing().schedule(parts.blockTokens()));
    this.authority =
        new LeaseAuthority(
            parts.times(),
            cluster,
            new WorkingSetScheduler(
                WorkingSetSettings.DEFAULT.withBoundSeconds(parts.bound().toNanos() / 1e9),
                cluster,
                replica -> Access.OPEN,
                parts.control()::control,
                parts.blockTokens()),
            parts.clock().millis() * EPOCHS,
            now());
    LOG.info("leases of agents are kept here; their holders are heard first");
    timers.startTimerWithFixedDelay(new LeaseMessage.Tick(), TICK);
    timers.startTimerWithFixedDelay(new LeaseMessage.Stands(), parts.record().renewal());
    boolean again = parts.begun().getAndSet(true);
    context.pipeToSelf(
        parts.record().first(),
        (first, failure) -> new LeaseMessage.Recorded(failure == null && first && !again));
    Cluster.get(context.getSystem())
        .subscriptions()
        .tell(
            Subscribe.create(
                context.messageAdapter(
                    ClusterEvent.MemberRemoved.class,
                    removed -> new LeaseMessage.Gone(LeaseService.name(removed.member()))),
                ClusterEvent.MemberRemoved.class));
  }

  private double now() {
    return parts.nanos().getAsLong() / 1e9;
  }

  @Override
  public Receive<LeaseMessage> createReceive() {
    return newReceiveBuilder()
        .onMessage(LeaseMessage.Reports.class, this::reported)
        .onMessage(LeaseMessage.Tick.class, tick -> tick())
        .onMessage(LeaseMessage.Recorded.class, this::recorded)
        .onMessage(LeaseMessage.Stands.class, stands -> stands())
        .onMessage(LeaseMessage.Gone.class, this::gone)
        .onSignal(PostStop.class, stop -> stopped())
        .onSignal(PreRestart.class, restart -> forgotten())
        .build();
  }

  /**
   * The cluster is new where this is its first member, whose first authority this is, and where no
   * authority of a cluster before it has been there within a term: then no lease is held.
   */
  private Behavior<LeaseMessage> recorded(LeaseMessage.Recorded recorded) {
    if (recorded.first() && self().upNumber() == FIRST_MEMBER) {
      carryOut(authority.on(new LeaseEvent.NoneBefore(), now()));
    }
    return this;
  }

  private Member self() {
    return Cluster.get(getContext().getSystem()).selfMember();
  }

  private Behavior<LeaseMessage> stands() {
    parts
        .record()
        .stands()
        .whenComplete((stored, failure) -> {
          if (failure != null) {
            LOG.debug("that leases are kept here is not stored", failure);
          }
        });
    return this;
  }

  /** Where no other node is left, no agent is: those of this one have been stopped before. */
  private Behavior<LeaseMessage> stopped() {
    if (members().size() <= 1) {
      parts
          .record()
          .ends()
          .whenComplete((ended, failure) -> {
            if (failure != null) {
              LOG.debug("that leases are kept here is forgotten later", failure);
            }
          });
    }
    return forgotten();
  }

  private Behavior<LeaseMessage> forgotten() {
    parts.held().are(Set.of());
    return this;
  }

  private Behavior<LeaseMessage> reported(LeaseMessage.Reports reports) {
    nodes.put(reports.holder(), reports.replyTo());
    List<LeaseOrder> orders = new ArrayList<>();
    double now = now();
    if (!reports.caches().isEmpty()) {
      told.put(reports.holder(), new Told(reports.caches(), now));
      replicas(orders, now);
    }
    for (LeaseMessage.Line line : reports.lines()) {
      orders.addAll(authority.on(new LeaseEvent.Reported(line.report(reports.holder())), now));
    }
    for (NodeLeases.FirstTokens first : reports.firstTokens()) {
      orders.addAll(
          authority.on(new LeaseEvent.FirstToken(first.agent(), first.epoch(), first.turn()), now));
    }
    carryOut(orders);
    return this;
  }

  private Behavior<LeaseMessage> tick() {
    double now = now();
    List<LeaseOrder> orders = new ArrayList<>();
    double fresh = now - 3 * parts.times().renewSeconds();
    told.values().removeIf(one -> one.at() < fresh);
    replicas(orders, now);
    orders.addAll(authority.on(new LeaseEvent.Ticked(), now));
    carryOut(orders);
    parts.held().are(authority.held());
    shown(authority.counts(now));
    return this;
  }

  private void shown(LeaseCounts counts) {
    parts.listener().leases(counts);
    if (!rebuilt && !counts.rebuilding()) {
      rebuilt = true;
      LOG.info(
          "leases of agents are known after {} ms: {} agents are resident, {} wait",
          (parts.nanos().getAsLong() - began) / 1_000_000,
          counts.leases(),
          counts.held());
    }
    if (!warned
        && counts.granted() >= ENOUGH_GRANTED
        && counts.forcedLoads() > MANY_FORCED * counts.granted()) {
      warned = true;
      LOG.warn(
          "{} of {} leases were granted only because their agents had waited for longer than"
              + " colony.vcm.leases.bound: raise it, or add replicas",
          counts.forcedLoads(),
          counts.granted());
    }
  }

  /** A replica is there while some node's gateway may use it. */
  private void replicas(List<LeaseOrder> orders, double now) {
    Map<String, LeaseMessage.CacheLine> there = new TreeMap<>();
    for (Told one : told.values()) {
      for (LeaseMessage.CacheLine cache : one.caches()) {
        there.merge(cache.replica(), cache, LeaseMessage.CacheLine::and);
      }
    }
    for (String replica : List.copyOf(replicas.keySet())) {
      if (!there.containsKey(replica)) {
        replicas.remove(replica);
        LOG.info("agents leave replica {}: no gateway may use it", replica);
        orders.addAll(authority.on(new LeaseEvent.ReplicaGone(replica), now));
      }
    }
    there.forEach((replica, cache) -> {
      LeaseMessage.CacheLine before = replicas.put(replica, cache);
      if (!cache.equals(before)) {
        orders.addAll(
            authority.on(new LeaseEvent.ReplicaUp(replica, cache.blocks(), cache.speed()), now));
      }
    });
  }

  private Behavior<LeaseMessage> gone(LeaseMessage.Gone gone) {
    nodes.remove(gone.holder());
    told.remove(gone.holder());
    carryOut(authority.on(new LeaseEvent.HolderGone(gone.holder()), now()));
    return this;
  }

  private void carryOut(List<LeaseOrder> orders) {
    Map<String, List<LeaseMessage.LeaseOrders.Line>> lines = new TreeMap<>();
    List<LeaseMessage.LeaseOrders.Blocks> evictions = new ArrayList<>();
    List<LeaseMessage.LeaseOrders.Blocks> touches = new ArrayList<>();
    for (LeaseOrder order : orders) {
      switch (order) {
        case LeaseOrder.ToHolder one ->
            lines
                .computeIfAbsent(one.holder(), holder -> new ArrayList<>())
                .add(LeaseMessage.LeaseOrders.Line.of(one));
        case LeaseOrder.Woken woken -> wake(woken.lease());
        case LeaseOrder.Expired expired ->
            LOG.debug("{} of {} was not renewed", expired.lease(), expired.holder());
        case LeaseOrder.Evicted evicted ->
            evictions.add(LeaseMessage.LeaseOrders.of(evicted.eviction()));
        case LeaseOrder.Touched touched ->
            touches.add(LeaseMessage.LeaseOrders.of(touched.touch()));
      }
    }
    boolean all = !evictions.isEmpty() || !touches.isEmpty();
    nodes.forEach((holder, node) -> {
      List<LeaseMessage.LeaseOrders.Line> own = lines.getOrDefault(holder, List.of());
      if (all || !own.isEmpty()) {
        tell(node, own, evictions, touches);
      }
    });
  }

  /** Batches that fit into a frame: what goes to caches is advice, and is cut off. */
  private void tell(
      ActorRef<LeaseMessage.LeaseOrders> node,
      List<LeaseMessage.LeaseOrders.Line> lines,
      List<LeaseMessage.LeaseOrders.Blocks> evictions,
      List<LeaseMessage.LeaseOrders.Blocks> touches) {
    int batch = LeaseMessage.BATCH;
    for (int from = batch; from < lines.size(); from += batch) {
      node.tell(
          new LeaseMessage.LeaseOrders(
              lines.subList(from, Math.min(lines.size(), from + batch)), List.of(), List.of()));
    }
    node.tell(
        new LeaseMessage.LeaseOrders(
            lines.subList(0, Math.min(lines.size(), batch)), fitting(evictions), fitting(touches)));
  }

  private List<LeaseMessage.LeaseOrders.Blocks> fitting(List<LeaseMessage.LeaseOrders.Blocks> all) {
    List<LeaseMessage.LeaseOrders.Blocks> fitting = new ArrayList<>();
    int blocks = 0;
    for (LeaseMessage.LeaseOrders.Blocks one : all) {
      blocks += one.blocks().length;
      if (blocks <= LeaseMessage.BATCH_BLOCKS / 2) {
        fitting.add(one);
      }
    }
    return fitting;
  }

  /** Where it can, it goes on at the node of its replica. */
  private void wake(Lease lease) {
    AgentId agent = AgentId.parse(lease.agent());
    Set<NodeAddress> members = members();
    Optional<NodeAddress> node =
        Optional.ofNullable(replicas.get(lease.replica()))
            .flatMap(cache ->
                members.stream().filter(one -> one.value().equals(cache.node())).findFirst());
    CompletionStage<Boolean> there =
        node.map(name ->
                parts
                    .rehoming()
                    .follow(agent, name, "it has a lease at a replica there")
                    .exceptionally(failure -> false))
            .orElseGet(() -> CompletableFuture.completedStage(false));
    there
        .thenCompose(moved -> parts.resumptions().happened(new Trigger.CapacityFreed(agent)))
        .whenComplete((woken, failure) -> {
          if (failure != null) {
            // Its lease ends if it does not come, and the admission scheduler wakes it later.
            LOG.debug("agent {} cannot be woken", agent, Backoff.cause(failure));
          }
        });
  }

  private Set<NodeAddress> members() {
    return StreamSupport.stream(
            Cluster.get(getContext().getSystem()).state().getMembers().spliterator(), false)
        .map(Member::address)
        .map(ShardingLayout.NodeAddresses::of)
        .collect(Collectors.toSet());
  }
}
