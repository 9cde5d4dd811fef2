package dev.colony.server.management;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.management.cluster.bootstrap.ClusterBootstrap;
import org.apache.pekko.management.javadsl.PekkoManagement;

/**
 * Starts the management of a node, and by it the search for a cluster to join. It answers until the
 * actor system ends, so that those who ask see the node leave.
 */
public final class Management {

  private Management() {}

  /**
   * Begins to listen where the configuration says, and then to look for a cluster.
   *
   * @param health stops to be ready as soon as the node leaves
   * @return done when it listens; failed if it cannot
   */
  public static CompletionStage<Void> start(ActorSystem<?> system, NodeHealth health) {
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseBeforeServiceUnbind(),
            "not-ready",
            () -> {
              health.reached(NodeHealth.Phase.LEAVING);
              return CompletableFuture.completedFuture(Done.getInstance());
            });
    return PekkoManagement.get(system)
        .start()
        .thenAccept(uri -> ClusterBootstrap.get(system).start());
  }
}
