package dev.colony.server.node;

import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.ResidencyView;
import dev.colony.vcm.PageId;
import dev.colony.vcm.schedule.access.Clearances;
import dev.colony.vcm.schedule.access.Sensitivity;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.ReplicaResidency;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The replicas that a node may send calls to, and the pages that they hold: its own replica,
 * whether the page table knows it or not, and those that live members of the cluster have entered
 * there. What a dead node left behind is passed over.
 *
 * <p>Nodes that share one server are one replica, so that the server's queue is bounded once: the
 * own one where this node is among them, else the first by id. Listed servers are none of these;
 * where the table knows pages of them, they have their own ids. Thread-safe; answers from memory.
 */
final class LiveReplicas implements ResidencyView {

  private final Replica own;
  private final NodeAddress self;
  private final Supplier<PageTableSnapshot> table;
  private final Supplier<Set<NodeAddress>> members;
  private final Clearances clearances;
  private final InstantSource clock;

  /**
   * @param members the nodes that live now; this one need not be among them
   * @param clearances which pages replicas may hold
   * @param clock by which locks end
   */
  LiveReplicas(
      Replica own,
      Supplier<PageTableSnapshot> table,
      Supplier<Set<NodeAddress>> members,
      Clearances clearances,
      InstantSource clock) {
    this.clearances = clearances;
    this.clock = clock;
    this.own = own;
    this.self = new NodeAddress(own.node());
    this.table = table;
    this.members = members;
  }

  /** At least the own one, which comes first. */
  Collection<Replica> replicas() {
    return byServer(table.get()).values();
  }

  @Override
  public Set<String> replicasOf(String pageId) {
    PageTableSnapshot known = table.get();
    Map<URI, Replica> byServer = byServer(known);
    Set<String> holders = new HashSet<>();
    for (ReplicaId id : known.replicasWith(new PageId(pageId))) {
      known
          .replica(id)
          .ifPresentOrElse(
              one -> {
                if (live(one)) {
                  holders.add(byServer.get(one.baseUri()).id());
                }
              },
              () -> holders.add(id.value()));
    }
    return holders;
  }

  @Override
  public boolean locked(String pageId) {
    return table.get().lockedUntil(new PageId(pageId), clock.instant()).isPresent();
  }

  /** Looks at the replica's pages only where one of them is locked. */
  @Override
  public Set<String> victims(String replica) {
    PageTableSnapshot known = table.get();
    Instant now = clock.instant();
    Optional<ReplicaId> named = ReplicaId.of(replica);
    if (named.isEmpty()) {
      return Set.of();
    }
    ReplicaId id = named.get();
    boolean spares =
        known.locks(now).stream().anyMatch(lock -> known.replicasWith(lock.page()).contains(id));
    if (!spares) {
      return Set.of();
    }
    Set<String> victims = new HashSet<>();
    known.victims(id, Long.MAX_VALUE, now).forEach(victim -> victims.add(victim.page().value()));
    return victims;
  }

  @Override
  public boolean mayHold(Replica replica, Sensitivity page) {
    return clearances.mayHold(replica.id(), replica.baseUri().toString(), page);
  }

  private Map<URI, Replica> byServer(PageTableSnapshot known) {
    Map<URI, Replica> byServer = new LinkedHashMap<>();
    byServer.put(own.baseUri(), own);
    known.replicas().stream()
        .filter(this::live)
        .filter(residency -> !residency.replica().value().equals(own.id()))
        .forEach(residency ->
            byServer.putIfAbsent(
                residency.baseUri(),
                new Replica(
                    residency.replica().value(), residency.baseUri(), residency.node().value())));
    return byServer;
  }

  /**
   * A node has one replica: what else stands under its address or its name is of an earlier life.
   */
  private boolean live(ReplicaResidency residency) {
    boolean atOwnNode = residency.node().equals(self);
    boolean ownId = residency.replica().value().equals(own.id());
    return atOwnNode ? ownId : !ownId && members.get().contains(residency.node());
  }
}
