package dev.colony.node.admission;

import com.typesafe.config.Config;
import dev.colony.vcm.table.ClusterView;
import dev.colony.vcm.table.ClusterView.ClusterLayout;
import dev.colony.vcm.table.NodeAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.ConfigValidation;
import org.apache.pekko.cluster.JoinConfigCompatChecker;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.sharding.ShardRegion;
import org.apache.pekko.cluster.sharding.typed.ClusterShardingQuery;
import org.apache.pekko.cluster.sharding.typed.GetClusterShardingStats;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.apache.pekko.cluster.sharding.typed.javadsl.EntityTypeKey;
import org.apache.pekko.cluster.typed.Cluster;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

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

  /** Pekko's addresses as the page table names nodes. */
  public static final class NodeAddresses {

    private NodeAddresses() {}

    /** The node behind an address; {@code self} where that is the local one, which has no host. */
    public static NodeAddress of(Address address, NodeAddress self) {
      return address.hasLocalScope() ? self : of(address);
    }

    /**
     * The node behind a full address.
     *
     * @throws IllegalArgumentException if it has no host or no port
     */
    public static NodeAddress of(Address address) {
      return new NodeAddress(address.getHost().orElse("") + ":" + address.getPort().orElse(0));
    }
  }

  /**
   * Refuses a node that joins with another number of placement units: it would look for agents
   * where the others do not keep them. What else all nodes must agree on is fixed in Redis by the
   * first of them. Named in the configuration, so Pekko makes it.
   */
  public static final class AgreedSettings extends JoinConfigCompatChecker {

    private static final String PLACEMENT_UNITS = "colony.agent.placement-units";

    @Override
    public Seq<String> requiredKeys() {
      return CollectionConverters.asScala(List.of(PLACEMENT_UNITS)).toSeq();
    }

    @Override
    public ConfigValidation check(Config joining, Config cluster) {
      return JoinConfigCompatChecker.fullMatch(requiredKeys(), joining, cluster);
    }
  }
}
