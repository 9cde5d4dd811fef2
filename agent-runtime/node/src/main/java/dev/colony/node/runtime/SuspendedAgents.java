package dev.colony.node.runtime;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.core.dispatch.Backoff;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.entity.AgentShards.RestartBackoff;
import dev.colony.node.resumption.BlackboardResumptions;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.PageTable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node does for suspended agents: evaluates their conditions when something happens here,
 * and is there to run the cluster's {@link ResumptionTimer}.
 */
final class SuspendedAgents {

  private final BlackboardResumptions index;

  private SuspendedAgents(BlackboardResumptions index) {
    this.index = index;
  }

  /**
   * @param services the {@link PageTable} is asked for pages; without one none is ever there
   */
  static SuspendedAgents start(
      ActorSystem<?> system,
      Backoff restarts,
      NodePorts services,
      CapacityQueue.WaitOrder order,
      InstantSource clock) {
    NodeBounds.Resumption bounds = NodeBounds.of(services).resumption();
    AgentSettings settings = Settings.read(AgentSettings.class, system.settings().config());
    AtomicReference<ActorRef<ResumptionTimer.Message>> timer =
        new AtomicReference<>(system.ignoreRef());
    BlackboardResumptions index =
        new BlackboardResumptions(
            services.get(Blackboards.class),
            bounds,
            settings.resumption().earlySignals(),
            resident(services.find(PageTable.class)),
            order,
            clock,
            time -> tell(timer.get(), time, clock.instant().plus(bounds.look())));
    timer.set(
        ClusterSingleton.get(system)
            .init(
                SingletonActor.of(
                    RestartBackoff.of(
                        ResumptionTimer.create(bounds, index.rounds(), clock), restarts),
                    "agent-resumptions")));
    return new SuspendedAgents(index);
  }

  Resumptions resumptions() {
    return index;
  }

  CapacityQueue room() {
    return index.room();
  }

  /** A later one it finds by itself. */
  private static void tell(ActorRef<ResumptionTimer.Message> timer, Instant time, Instant latest) {
    if (time.isBefore(latest)) {
      timer.tell(new ResumptionTimer.Timed(time));
    }
  }

  private static Predicate<PageId> resident(Optional<PageTable> table) {
    return page -> table.map(known -> !known.snapshot().replicasWith(page).isEmpty()).orElse(false);
  }

  /**
   * Has the agents that wait for pages looked at when some arrive. What arrives while that is under
   * way is gathered and comes next. What a node's death loses, the slow sweep of the index finds.
   * Thread-safe.
   */
  static final class PageArrivals {

    private static final Logger LOG = LoggerFactory.getLogger(PageArrivals.class);

    private final Resumptions resumptions;
    private final Backoff backoff;
    private Set<PageId> waiting = new HashSet<>();
    private boolean underWay;

    PageArrivals(Resumptions resumptions, Backoff backoff) {
      this.resumptions = resumptions;
      this.backoff = backoff;
    }

    /** Returns at once. */
    synchronized void came(Set<PageId> pages) {
      waiting.addAll(pages);
      if (!underWay) {
        next();
      }
    }

    private synchronized void next() {
      underWay = !waiting.isEmpty();
      if (underWay) {
        Trigger arrived = new Trigger.PagesArrived(Set.copyOf(waiting));
        waiting = new HashSet<>();
        backoff
            .repeat("waking who waits for pages", () -> false, () -> resumptions.happened(arrived))
            .whenComplete((woken, failure) -> {
              if (failure != null) {
                LOG.error("who waits for pages waits for the next sweep", Backoff.cause(failure));
              }
              next();
            });
      }
    }
  }
}
