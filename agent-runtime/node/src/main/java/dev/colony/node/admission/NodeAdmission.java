package dev.colony.node.admission;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.node.NodePorts;
import dev.colony.node.resumption.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.vcm.table.ClusterView.ClusterLayout;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
    ActorRef<AdmissionScheduler.SchedulerMessage> scheduler =
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
                    ShardingLayout.NodeAddresses.of(Cluster.get(system).selfMember().address()),
                    clock))
            .onFailure(Exception.class, SupervisorStrategy.restart()),
        "agent-capacity-reporter",
        Props.empty());
  }

  /**
   * Tells the admission scheduler what capacity this node has, more often while agents wait, and
   * tells the node's slots what time it is. One per node.
   */
  static final class CapacityReporter extends AbstractBehavior<CapacityReporter.Message> {

    sealed interface Message extends NoSerializationVerificationNeeded {}

    private record Tick() implements Message {}

    private record Report() implements Message {}

    private record Heard(boolean agentsWait) implements Message {}

    private final TimerScheduler<Message> timers;
    private final CapacitySettings.Reports settings;
    private final NodeSlots slots;
    private final ActorRef<AdmissionScheduler.SchedulerMessage> scheduler;
    private final NodeAddress node;
    private final HeapProbe heap = new HeapProbe();
    private final ActorRef<AdmissionScheduler.CapacityReportReply> replies;
    private final long life;
    private boolean often;

    static Behavior<Message> create(
        CapacitySettings.Reports settings,
        NodeSlots slots,
        ActorRef<AdmissionScheduler.SchedulerMessage> scheduler,
        NodeAddress node,
        InstantSource clock) {
      return Behaviors.setup(context ->
          Behaviors.withTimers(timers ->
              new CapacityReporter(
                  context, timers, settings, slots, scheduler, node, clock.millis())));
    }

    private CapacityReporter(
        ActorContext<Message> context,
        TimerScheduler<Message> timers,
        CapacitySettings.Reports settings,
        NodeSlots slots,
        ActorRef<AdmissionScheduler.SchedulerMessage> scheduler,
        NodeAddress node,
        long life) {
      super(context);
      this.timers = timers;
      this.settings = settings;
      this.slots = slots;
      this.scheduler = scheduler;
      this.node = node;
      this.life = life;
      this.replies =
          context.messageAdapter(
              AdmissionScheduler.CapacityReportReply.class, reply -> new Heard(reply.agentsWait()));
      timers.startTimerWithFixedDelay(new Tick(), settings.every());
    }

    @Override
    public Receive<Message> createReceive() {
      return newReceiveBuilder()
          .onMessage(Tick.class, tick -> tick())
          .onMessage(Report.class, report -> report())
          .onMessage(Heard.class, this::heard)
          .build();
    }

    private Behavior<Message> tick() {
      slots.tick(heap.percent());
      return report();
    }

    private Behavior<Message> report() {
      scheduler.tell(
          new AdmissionScheduler.SchedulerMessage.Report(slots.report(node, life), replies));
      return this;
    }

    private Behavior<Message> heard(Heard heard) {
      if (heard.agentsWait() && !often) {
        timers.startTimerWithFixedDelay(new Report(), settings.whileWaiting());
      } else if (!heard.agentsWait() && often) {
        timers.cancel(new Report());
      }
      often = heard.agentsWait();
      return this;
    }

    /**
     * How full the heap was after the last garbage collection. What is used between two collections
     * says nothing: most of it is garbage. A collection of the young generation leaves garbage of
     * the old one behind, so that the figure is too high rather than too low.
     */
    static final class HeapProbe {

      private static final int ALL = 100;

      private final List<GarbageCollectorMXBean> collectors =
          ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
      private final Set<String> pools =
          ManagementFactory.getMemoryPoolMXBeans().stream()
              .filter(pool -> pool.getType() == MemoryType.HEAP)
              .map(MemoryPoolMXBean::getName)
              .collect(Collectors.toSet());

      /** In percent of the largest possible heap; 0 before the first collection. */
      int percent() {
        return collectors.stream()
            .map(GarbageCollectorMXBean::getLastGcInfo)
            .filter(Objects::nonNull)
            .max(Comparator.comparingLong(GcInfo::getEndTime))
            .map(this::percent)
            .orElse(0);
      }

      private int percent(GcInfo last) {
        long used =
            last.getMemoryUsageAfterGc().entrySet().stream()
                .filter(pool -> pools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
        return (int) Math.min(ALL, used * ALL / Runtime.getRuntime().maxMemory());
      }
    }
  }
}
