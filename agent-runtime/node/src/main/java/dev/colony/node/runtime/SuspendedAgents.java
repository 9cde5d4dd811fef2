package dev.colony.node.runtime;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import dev.colony.core.retry.Backoff;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.RestartBackoff;
import dev.colony.node.resumption.BlackboardResumptions;
import dev.colony.node.resumption.CapacityQueue;
import dev.colony.node.resumption.ResumptionSettings;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.WaitOrder;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.PageTable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;

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
      WaitOrder order,
      InstantSource clock) {
    Config config = system.settings().config();
    ResumptionSettings settings = ResumptionSettings.fromConfig(config);
    AtomicReference<ActorRef<ResumptionTimer.Message>> timer =
        new AtomicReference<>(system.ignoreRef());
    BlackboardResumptions index =
        new BlackboardResumptions(
            services.get(Blackboards.class),
            settings,
            resident(services.find(PageTable.class)),
            order,
            clock,
            time -> tell(timer.get(), time, clock.instant().plus(settings.look())));
    timer.set(
        ClusterSingleton.get(system)
            .init(
                SingletonActor.of(
                    RestartBackoff.of(
                        ResumptionTimer.create(settings, index.rounds(), clock), restarts),
                    "agent-resumptions")));
    return new SuspendedAgents(index);
  }

  Resumptions resumptions() {
    return index;
  }

  /** Those who wait for room. */
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
}
