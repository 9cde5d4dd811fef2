package dev.colony.server.node;

import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.node.admission.ShardingLayout.NodeAddresses;
import dev.colony.vcm.PageId;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.schedule.Sensitivity;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaId;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.ClusterEvent.CurrentClusterState;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  /**
   * Takes replicas out of the page table whose nodes have died and so could not do it themselves:
   * those whose node has not been a member of the cluster for a while. A node enters its replica
   * before it joins, hence the while; one that is taken for gone by mistake enters it again. Every
   * node looks, and the first one does it. Not thread-safe.
   */
  static final class DepartedReplicas {

    private static final Logger LOG = LoggerFactory.getLogger(DepartedReplicas.class);

    private final PageTable table;
    private final Supplier<Set<NodeAddress>> members;
    private final Duration after;
    private final InstantSource clock;
    private Map<Seen, Instant> strangers = Map.of();

    private record Seen(ReplicaId replica, long incarnation) {}

    /**
     * @param members all that the cluster knows, whether they can be reached or not; empty while
     *     this node is none itself
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
              LOG.warn(
                  "replica {} of a departed node stays: {}", seen.replica(), failure.toString());
            } else {
              LOG.info("replica {} went with its node", seen.replica());
            }
          });
    }
  }

  /**
   * The members of the cluster that serve now: those that are up, weakly up or leaving, and answer
   * the failure detector. Empty until there is an actor system to ask. Thread-safe; answers from
   * memory.
   */
  static final class LiveMembers implements Supplier<Set<NodeAddress>> {

    private static final Set<MemberStatus> SERVING =
        Set.of(MemberStatus.up(), MemberStatus.weaklyUp(), MemberStatus.leaving());

    private volatile Cluster cluster;

    /** Tells where the members are known. */
    void follow(ActorSystem<?> system) {
      cluster = Cluster.get(system);
    }

    /** All members, also those that do not answer; empty as long as this node is none. */
    Set<NodeAddress> known() {
      Cluster joined = cluster;
      if (joined == null || !SERVING.contains(joined.selfMember().status())) {
        return Set.of();
      }
      Set<NodeAddress> known = new HashSet<>();
      joined.state().getMembers().forEach(member -> known.add(NodeAddresses.of(member.address())));
      return known;
    }

    @Override
    public Set<NodeAddress> get() {
      Cluster joined = cluster;
      if (joined == null) {
        return Set.of();
      }
      CurrentClusterState state = joined.state();
      Set<Member> unreachable = state.getUnreachable();
      Set<NodeAddress> serving = new HashSet<>();
      for (Member member : state.getMembers()) {
        if (SERVING.contains(member.status()) && !unreachable.contains(member)) {
          serving.add(NodeAddresses.of(member.address()));
        }
      }
      return serving;
    }
  }
}
