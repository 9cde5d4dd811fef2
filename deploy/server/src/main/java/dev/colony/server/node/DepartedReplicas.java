package dev.colony.server.node;

import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.ReplicaResidency;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes replicas out of the page table whose nodes have died and so could not do it themselves:
 * those whose node has not been a member of the cluster for a while. A node enters its replica
 * before it joins, hence the while; one that is taken for gone by mistake enters it again. Every
 * node looks, and the first one does it. Not thread-safe.
 */
final class DepartedReplicas {

  private static final Logger LOG = LoggerFactory.getLogger(DepartedReplicas.class);

  private final PageTable table;
  private final Supplier<Set<NodeAddress>> members;
  private final Duration after;
  private final InstantSource clock;
  private Map<Seen, Instant> strangers = Map.of();

  private record Seen(ReplicaId replica, long incarnation) {}

  /**
   * @param members all that the cluster knows, whether they can be reached or not; empty while this
   *     node is none itself
   */
  DepartedReplicas(
      PageTable table, Supplier<Set<NodeAddress>> members, Duration after, InstantSource clock) {
    this.table = table;
    this.members = members;
    this.after = after;
    this.clock = clock;
  }

  /** To be called from time to time; what fails is done at the next time. */
  void look() {
    Set<NodeAddress> known = members.get();
    Instant now = clock.instant();
    Map<Seen, Instant> still = new HashMap<>();
    if (!known.isEmpty()) {
      for (ReplicaResidency residency : table.snapshot().replicas()) {
        if (!known.contains(residency.node())) {
          Seen seen = new Seen(residency.replica(), residency.incarnation());
          still.put(seen, strangers.getOrDefault(seen, now));
        }
      }
    }
    strangers = still;
    still.forEach((seen, since) -> {
      if (!since.plus(after).isAfter(now)) {
        withdraw(seen);
      }
    });
  }

  private void withdraw(Seen seen) {
    table
        .withdraw(seen.replica(), seen.incarnation())
        .whenComplete((done, failure) -> {
          if (failure != null) {
            LOG.warn("replica {} of a departed node stays: {}", seen.replica(), failure.toString());
          } else {
            LOG.info("replica {} went with its node", seen.replica());
          }
        });
  }
}
