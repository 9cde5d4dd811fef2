package dev.colony.node.admission;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.node.NodePorts;
import dev.colony.node.home.Rehoming;
import dev.colony.node.placement.NodeAddresses;
import dev.colony.node.resumption.CapacityQueue;
import dev.colony.node.resumption.Resumptions;
import dev.colony.vcm.placement.ClusterLayout;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;

/** What a node does so that agents which wait for capacity hear of it. */
public final class NodeAdmission {

  private NodeAdmission() {}

  /**
   * Has this node tell its capacity, and be there to run the cluster's {@link AdmissionScheduler}.
   *
   * @param waitsElsewhere whether an agent waits for more than this node's capacity, and is woken
   *     by what it waits for
   * @param services the {@link ClusterLayout}, the {@link Blackboards}, and the {@link PageTable}
   *     if there is one
   */
  public static void start(
      ActorSystem<?> system,
      CapacitySettings settings,
      NodeSlots slots,
      CapacityQueue queue,
      Resumptions resumptions,
      AgentDirectory directory,
      Rehoming rehoming,
      Predicate<AgentId> waitsElsewhere,
      NodePorts services) {
    InstantSource clock = services.get(Blackboards.class).clock();
    Optional<PageTable> table = services.find(PageTable.class);
    Supplier<PageTableSnapshot> pages =
        () -> table.map(PageTable::snapshot).orElse(PageTableSnapshot.EMPTY);
    CandidateReader candidates =
        new CandidateReader(
            queue,
            directory,
            services.get(ClusterLayout.class),
            pages,
            settings.preemption().aging());
    ActorRef<SchedulerMessage> scheduler =
        ClusterSingleton.get(system)
            .init(
                SingletonActor.of(
                    Behaviors.supervise(
                            AdmissionScheduler.create(
                                settings, candidates, resumptions, rehoming, waitsElsewhere, clock))
                        .onFailure(Exception.class, SupervisorStrategy.restart()),
                    "agent-admission"));
    system.systemActorOf(
        Behaviors.supervise(
                CapacityReporter.create(
                    settings.reports(),
                    slots,
                    scheduler,
                    NodeAddresses.of(Cluster.get(system).selfMember().address()),
                    clock))
            .onFailure(Exception.class, SupervisorStrategy.restart()),
        "agent-capacity-reporter",
        Props.empty());
  }
}
