package dev.colony.node.placement;

import dev.colony.vcm.placement.ClusterLayout;
import dev.colony.vcm.placement.ClusterView;
import dev.colony.vcm.table.NodeAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.cluster.sharding.typed.ClusterShardingQuery;
import org.apache.pekko.cluster.sharding.typed.GetClusterShardingStats;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.cluster.typed.Cluster;

/** The layout as sharding's regions report it; one question to each node. */
public final class ShardingLayout implements ClusterLayout {

  private final ActorSystem<?> system;
  private final ActorRef<ClusterShardingQuery> sharding;
  private final EntityTypeKey<?> key;
  private final Duration timeout;

  /**
   * @param key of the entities whose shards are the placement units
   * @param timeout for the answer of a node
   */
  public ShardingLayout(ActorSystem<?> system, EntityTypeKey<?> key, Duration timeout) {
    this.system = system;
    this.sharding = ClusterSharding.get(system).shardState();
    this.key = key;
    this.timeout = timeout;
  }

  @Override
  public CompletionStage<ClusterView> view() {
    CompletionStage<ShardRegion.ClusterShardingStats> stats =
        AskPattern.ask(
            sharding,
            replyTo -> new GetClusterShardingStats(key, timeout, replyTo),
            timeout.multipliedBy(2),
            system.scheduler());
    return stats.handle((answered, failure) ->
        ClusterView.of(nodes(), failure == null ? units(answered) : Map.of()));
  }

  private Set<NodeAddress> nodes() {
    Set<NodeAddress> nodes = new HashSet<>();
    Cluster.get(system)
        .state()
        .getMembers()
        .forEach(member -> {
          if (member.status().equals(MemberStatus.up())) {
            nodes.add(NodeAddresses.of(member.address()));
          }
        });
    return nodes;
  }

  private Map<Integer, NodeAddress> units(ShardRegion.ClusterShardingStats stats) {
    NodeAddress self = NodeAddresses.of(Cluster.get(system).selfMember().address());
    Map<Integer, NodeAddress> units = new HashMap<>();
    for (Map.Entry<Address, ShardRegion.ShardRegionStats> region : stats.getRegions().entrySet()) {
      NodeAddress node = NodeAddresses.of(region.getKey(), self);
      region
          .getValue()
          .getStats()
          .keySet()
          .forEach(shard -> units.put(Integer.parseInt(shard), node));
    }
    return units;
  }
}
