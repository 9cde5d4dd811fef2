package dev.colony.node.lease;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.routing.RoutingSettings;
import dev.colony.node.AgentListener;
import dev.colony.node.NodePorts;
import dev.colony.node.home.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.vcm.schedule.workingset.CacheControl;
import dev.colony.vcm.table.PageTable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;

/** What a node does for the leases of its agents, where they are enabled. */
public final class LeaseService {

  private final LeaseSettings settings;
  private final NodeLeases leases;
  private final PromptCaches caches;
  private final HeldAgents held = new HeldAgents();
  private final String node;

  private LeaseService(
      LeaseSettings settings, String node, PromptCaches caches, Optional<PageTable> table) {
    this.settings = settings;
    this.node = node;
    this.caches = caches;
    this.leases =
        new NodeLeases(
            node,
            settings,
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
    LeaseSettings settings = LeaseSettings.fromConfig(config);
    return settings.enabled()
        ? services
            .find(InferenceGateway.class)
            .flatMap(InferenceGateway::promptCaches)
            .map(caches ->
                new LeaseService(
                    settings,
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

  /** The leases of this node's agents. */
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
            settings,
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
                Duration.ofNanos((long) (settings.times().graceSeconds() * 1e9)),
                node),
            new AtomicBoolean());
    Behavior<LeaseMessage> authority =
        Behaviors.supervise(AuthorityActor.create(parts))
            .onFailure(Exception.class, SupervisorStrategy.restart());
    ActorRef<LeaseMessage> singleton =
        ClusterSingleton.get(system).init(SingletonActor.of(authority, "agent-leases"));
    system.systemActorOf(
        Behaviors.supervise(LeaseReporter.create(settings, node, leases, control, singleton))
            .onFailure(Exception.class, SupervisorStrategy.restart()),
        "agent-lease-reporter",
        Props.empty());
  }
}
