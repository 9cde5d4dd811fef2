package dev.colony.server.lease;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.UniqueAddress;
import org.apache.pekko.coordination.lease.LeaseSettings;
import org.apache.pekko.coordination.lease.javadsl.Lease;

/**
 * Pekko's lease, kept by the Redis of the node. Its owner is the node's unique address, so that a
 * node that is started again at an address is another owner than the one that was there before. The
 * settings under {@code colony.node.lease} say its times. Nothing blocks; thread-safe.
 *
 * <p>It is renewed from a thread of its own, so that busy dispatchers do not lose it, until it is
 * given back or the actor system has ended; then it is free when its time is over, not before,
 * because others may still have to be kept from it.
 */
public final class RedisLease extends Lease {

  private final LeaseSettings settings;
  private final LeaseClaim claim;

  /** As Pekko's {@code LeaseProvider} makes it. */
  public RedisLease(LeaseSettings settings, ExtendedActorSystem system) {
    this.settings = settings;
    LeaseParts parts =
        system
            .settings()
            .setup()
            .get(LeaseParts.class)
            .orElseThrow(() ->
                new IllegalStateException("the actor system was made without " + LeaseParts.class));
    LeaseTerms terms = LeaseTerms.fromConfig(system.settings().config());
    Cluster cluster = Cluster.get(system);
    String self = name(cluster.selfUniqueAddress());
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("lease").factory());
    this.claim =
        new LeaseClaim(
            new LeaseStore(parts.redis(), settings.leaseName(), self, terms.heartbeatTimeout()),
            self,
            owner -> reached(cluster.state(), owner),
            terms,
            parts.listener(),
            timer);
    system.registerOnTermination(() -> {
      claim.close();
      timer.shutdownNow();
    });
  }

  private static String name(UniqueAddress node) {
    return node.address().hostPort() + "#" + node.longUid();
  }

  private static boolean reached(ClusterEvent.CurrentClusterState state, String owner) {
    Set<UniqueAddress> unreachable =
        state.getUnreachable().stream().map(Member::uniqueAddress).collect(Collectors.toSet());
    return StreamSupport.stream(state.getMembers().spliterator(), false)
        .map(Member::uniqueAddress)
        .filter(node -> !unreachable.contains(node))
        .anyMatch(node -> name(node).equals(owner));
  }

  @Override
  public LeaseSettings getSettings() {
    return settings;
  }

  @Override
  public CompletionStage<Boolean> acquire() {
    return claim.acquire(failure -> {});
  }

  @Override
  public CompletionStage<Boolean> acquire(Consumer<Optional<Throwable>> leaseLostCallback) {
    return claim.acquire(leaseLostCallback);
  }

  @Override
  public CompletionStage<Boolean> release() {
    return claim.release();
  }

  @Override
  public boolean checkLease() {
    return claim.held();
  }
}
