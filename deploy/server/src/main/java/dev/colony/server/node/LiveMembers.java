package dev.colony.server.node;

import dev.colony.node.placement.NodeAddresses;
import dev.colony.vcm.table.NodeAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.ClusterEvent.CurrentClusterState;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;

/**
 * The members of the cluster that serve now: those that are up, weakly up or leaving, and answer
 * the failure detector. Empty until there is an actor system to ask. Thread-safe; answers from
 * memory.
 */
final class LiveMembers implements Supplier<Set<NodeAddress>> {

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
