package dev.colony.server.node;

import dev.colony.server.node.RedisLease.LeaseOutcome;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.CoordinatedShutdown.Reason;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.Member;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in one line why a node ends that was not told to leave, and ends one whose lease another
 * side has got. Thread-safe.
 */
final class NodeEnd {

  private static final Logger LOG = LoggerFactory.getLogger(NodeEnd.class);

  private volatile LeaseOutcome lease = new LeaseOutcome.Won();
  private volatile ActorSystem<?> system;
  private volatile boolean byItself;

  /** To be called before the node seeks a cluster. */
  void watch(ActorSystem<?> watched) {
    system = watched;
    CoordinatedShutdown shutdown = CoordinatedShutdown.get(watched);
    shutdown.addTask(
        CoordinatedShutdown.PhaseBeforeServiceUnbind(),
        "say-why",
        () -> {
          why(shutdown.getShutdownReason(), lease)
              .ifPresent(reason -> {
                byItself = true;
                LOG.error("{}{}", Node.ENDS, reason);
              });
          return CompletableFuture.completedFuture(Done.getInstance());
        });
  }

  /** Whether it ends without having been told to leave. */
  boolean byItself() {
    return byItself;
  }

  /** What has become of the lease. */
  void heard(LeaseOutcome outcome) {
    lease = outcome;
    if (outcome instanceof LeaseOutcome.Lost) {
      endSide();
    }
  }

  /** All that this node reaches went on by its lease, and none of them may. */
  private void endSide() {
    Cluster cluster = Cluster.get(system);
    for (Member member : cluster.state().getMembers()) {
      if (!member.uniqueAddress().equals(cluster.selfUniqueAddress())) {
        cluster.down(member.address());
      }
    }
    cluster.down(cluster.selfAddress());
  }

  /** Empty where it was told to leave. */
  static Optional<String> why(Optional<Reason> reason, LeaseOutcome lease) {
    Reason told = reason.orElse(CoordinatedShutdown.unknownReason());
    if (told == CoordinatedShutdown.unknownReason()
        || told == CoordinatedShutdown.jvmExitReason()
        || told == CoordinatedShutdown.clusterLeavingReason()) {
      return Optional.empty();
    }
    if (told == CoordinatedShutdown.clusterDowningReason()) {
      return Optional.of(downed(lease));
    }
    return Optional.of(
        told == CoordinatedShutdown.incompatibleConfigurationDetectedReason()
                || told == CoordinatedShutdown.clusterJoinUnsuccessfulReason()
            ? "the cluster does not let it in; the lines before say why"
            : "its actor system has stopped; the lines before say what failed, report it");
  }

  private static String downed(LeaseOutcome lease) {
    return switch (lease) {
      case LeaseOutcome.Denied(String holder) ->
          "it lost sight of other nodes, and the side of %s goes on, which has the lease; see the network between them, and start it again"
              .formatted(holder);
      case LeaseOutcome.Unanswered(var waited) ->
          "it lost sight of other nodes, and Redis did not answer for %d s which side goes on; see Redis, and start it again"
              .formatted(waited.toSeconds());
      case LeaseOutcome.Lost(String holder) ->
          "it stood still or did not reach Redis, and another side has got its lease%s; see why, and start it again"
              .formatted(holder.isEmpty() ? "" : ", that of " + holder);
      case LeaseOutcome.Won won ->
          "it was taken out of the cluster, by others that lost sight of it or with a side that did"
              + " not get the lease; see why it stood still or was cut off, and start it again";
    };
  }
}
