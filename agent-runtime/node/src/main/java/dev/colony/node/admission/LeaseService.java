package dev.colony.node.admission;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.node.AgentListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.resumption.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.vcm.schedule.CacheControl;
import dev.colony.vcm.schedule.Orders;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.lease.Report;
import dev.colony.vcm.table.PageTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;

/** What a node does for the leases of its agents, where they are enabled. */
public final class LeaseService {

  /**
   * The settings under {@code colony.vcm.leases}; reference.conf says what each means. All nodes of
   * a cluster must have the same.
   */
  @Section("colony.vcm.leases")
  record LeaseSettings(boolean enabled, @Range(min = "10 ms", max = "1 d") Duration bound) {}

  private final Duration bound;
  private final NodeBounds.Leases bounds;
  private final NodeLeases leases;
  private final PromptCaches caches;
  private final HeldAgents held = new HeldAgents();
  private final String node;

  private LeaseService(
      Duration bound,
      NodeBounds.Leases bounds,
      String node,
      PromptCaches caches,
      Optional<PageTable> table) {
    this.bound = bound;
    this.bounds = bounds;
    this.node = node;
    this.caches = caches;
    this.leases =
        new NodeLeases(
            node,
            bound,
            bounds,
            caches,
            group -> table.flatMap(known -> known.snapshot().assignment(group)),
            System::nanoTime);
  }

  /**
   * That of a node; empty where leases are not enabled, or its gateway knows nothing of caches.
   *
   * @param services the gateway, and the {@link PageTable} where there is one
   */
  public static Optional<LeaseService> of(ActorSystem<?> system, NodePorts services) {
    Config config = system.settings().config();
    LeaseSettings settings = Settings.read(LeaseSettings.class, config);
    return settings.enabled()
        ? services
            .find(InferenceGateway.class)
            .flatMap(InferenceGateway::promptCaches)
            .map(caches ->
                new LeaseService(
                    settings.bound(),
                    NodeBounds.of(services).leases(),
                    name(Cluster.get(system).selfMember()),
                    caches,
                    services.find(PageTable.class)))
        : Optional.empty();
  }

  /** Names a process among all that ever were. */
  static String name(Member member) {
    return member.uniqueAddress().address().hostPort()
        + "#"
        + Long.toUnsignedString(member.uniqueAddress().longUid(), 36);
  }

  public NodeLeases leases() {
    return leases;
  }

  /** Those that wait for one. */
  public HeldAgents held() {
    return held;
  }

  /**
   * Has this node report its leases, and be there to run the cluster's authority.
   *
   * @param services the {@link Blackboards}; the {@link CacheControl} and an {@link AgentListener}
   *     where there are
   */
  public void start(
      ActorSystem<?> system, Resumptions resumptions, Rehoming rehoming, NodePorts services) {
    CacheControl control = services.find(CacheControl.class).orElse(CacheControl.NONE);
    AuthorityActor.Parts parts =
        new AuthorityActor.Parts(
            bounds.times(),
            bound,
            RoutingSettings.fromConfig(system.settings().config()),
            caches.blockTokens(),
            control,
            resumptions,
            rehoming,
            held,
            services.find(AgentListener.class).orElse(AgentListener.NONE),
            services.get(Blackboards.class).clock(),
            System::nanoTime,
            new AuthorityRecord(
                services.get(Blackboards.class).open(AuthorityRecord.SCOPE, node),
                Duration.ofNanos((long) (bounds.times().graceSeconds() * 1e9)),
                node),
            new AtomicBoolean());
    Behavior<LeaseMessage> authority =
        Behaviors.supervise(AuthorityActor.create(parts))
            .onFailure(Exception.class, SupervisorStrategy.restart());
    ActorRef<LeaseMessage> singleton =
        ClusterSingleton.get(system).init(SingletonActor.of(authority, "agent-leases"));
    system.systemActorOf(
        Behaviors.supervise(LeaseReporter.create(bounds, node, leases, control, singleton))
            .onFailure(Exception.class, SupervisorStrategy.restart()),
        "agent-lease-reporter",
        Props.empty());
  }

  /**
   * The agents that wait for leases, as the authority on this node knows them; none where it is on
   * another node. Thread-safe.
   */
  public static final class HeldAgents {

    private volatile Set<String> names = Set.of();

    void are(Set<String> held) {
      names = held;
    }

    /** Whether it is of no use to wake an agent for other capacity. */
    public boolean contains(AgentId agent) {
      return names.contains(agent.persistenceId());
    }
  }

  /**
   * Says on the blackboard that there is an authority of leases, for longer than the leases last
   * that it grants: so one that begins knows whether another, of a cluster that has ended since,
   * may have granted some. It holds for twice the grace and is renewed every half of it, which
   * leaves a renewal half the grace to be stored, where the grace is as long as a term.
   * Thread-safe.
   *
   * @param authority names the process
   */
  record AuthorityRecord(Blackboard board, Duration grace, String authority) {

    static final Scope SCOPE = Scope.tenant("system").namespace("agent-leases");
    static final String KEY = "authority";

    /** How often it is to be renewed. */
    Duration renewal() {
      return grace.dividedBy(2);
    }

    private Write write() {
      return Write.of(KEY, JsonNodeFactory.instance.objectNode().put("authority", authority))
          .ttl(grace.multipliedBy(2));
    }

    /**
     * Makes the record where there is none. Done when it is stored.
     *
     * @return whether there was none
     */
    CompletionStage<Boolean> first() {
      return board.write(write().ifAbsent()).thenApply(WriteResult.Written.class::isInstance);
    }

    CompletionStage<WriteResult> stands() {
      return board.write(write());
    }

    /** Takes it back: no agent is left that has a lease. */
    CompletionStage<Boolean> ends() {
      return board.delete(KEY);
    }
  }

  /**
   * Carries messages between a node's leases and the authority, in batches. One per node. What is
   * lost is made up for: each report says how things stand, and is repeated.
   */
  static final class LeaseReporter extends AbstractBehavior<LeaseReporter.Message> {

    sealed interface Message extends NoSerializationVerificationNeeded {}

    private record Send() implements Message {}

    private record Tick() implements Message {}

    private record Heard(LeaseMessage.LeaseOrders orders) implements Message {}

    private final NodeBounds.Leases bounds;
    private final String holder;
    private final NodeLeases leases;
    private final CacheControl control;
    private final ActorRef<LeaseMessage> authority;
    private final ActorRef<LeaseMessage.LeaseOrders> replies;

    static Behavior<Message> create(
        NodeBounds.Leases bounds,
        String holder,
        NodeLeases leases,
        CacheControl control,
        ActorRef<LeaseMessage> authority) {
      return Behaviors.setup(context ->
          Behaviors.withTimers(timers ->
              new LeaseReporter(context, timers, bounds, holder, leases, control, authority)));
    }

    private LeaseReporter(
        ActorContext<Message> context,
        TimerScheduler<Message> timers,
        NodeBounds.Leases bounds,
        String holder,
        NodeLeases leases,
        CacheControl control,
        ActorRef<LeaseMessage> authority) {
      super(context);
      this.bounds = bounds;
      this.holder = holder;
      this.leases = leases;
      this.control = control;
      this.authority = authority;
      this.replies = context.messageAdapter(LeaseMessage.LeaseOrders.class, Heard::new);
      timers.startTimerWithFixedDelay(new Send(), bounds.sendInterval());
      timers.startTimerWithFixedDelay(
          new Tick(), java.time.Duration.ofNanos((long) (bounds.times().renewSeconds() * 1e9)));
    }

    @Override
    public Receive<Message> createReceive() {
      return newReceiveBuilder()
          .onMessage(Send.class, send -> send())
          .onMessage(Tick.class, tick -> tick())
          .onMessage(Heard.class, this::heard)
          .build();
    }

    /** At most {@code batch} reports in a message, and so many blocks that it fits into a frame. */
    private Behavior<Message> send() {
      leases.tick();
      List<LeaseMessage.Line> lines = new ArrayList<>();
      int blocks = 0;
      for (Report report : leases.reports()) {
        LeaseMessage.Line line = LeaseMessage.Line.of(report);
        int more = line.prompt() == null ? 0 : line.prompt().blocks().length;
        if (!lines.isEmpty()
            && (lines.size() == LeaseMessage.BATCH || blocks + more > LeaseMessage.BATCH_BLOCKS)) {
          tell(lines, List.of(), List.of());
          lines = new ArrayList<>();
          blocks = 0;
        }
        lines.add(line);
        blocks += more;
      }
      List<NodeLeases.FirstTokens> firstTokens = leases.firstTokens();
      if (!lines.isEmpty() || !firstTokens.isEmpty()) {
        tell(lines, firstTokens, List.of());
      }
      return this;
    }

    private Behavior<Message> tick() {
      tell(List.of(), List.of(), leases.caches().stream().map(LeaseMessage.CacheLine::of).toList());
      return this;
    }

    private void tell(
        List<LeaseMessage.Line> lines,
        List<NodeLeases.FirstTokens> firstTokens,
        List<LeaseMessage.CacheLine> caches) {
      authority.tell(new LeaseMessage.Reports(holder, lines, firstTokens, caches, replies));
    }

    private Behavior<Message> heard(Heard heard) {
      LeaseMessage.LeaseOrders orders = heard.orders();
      List<LeaseOrder.ToHolder> told =
          orders.lines().stream().map(line -> line.order(holder)).toList();
      leases.hear(told);
      if (!orders.evictions().isEmpty() || !orders.touches().isEmpty()) {
        control.carryOut(
            orders.evictions().stream()
                .map(one -> new Orders.Eviction(one.replica(), one.blocks()))
                .toList(),
            orders.touches().stream()
                .map(one -> new Orders.Touch(one.replica(), one.blocks()))
                .toList());
      }
      return this;
    }
  }
}
