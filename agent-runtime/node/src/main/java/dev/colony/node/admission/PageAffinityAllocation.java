package dev.colony.node.admission;

import dev.colony.vcm.table.ClusterView;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.PlacementPolicy;
import dev.colony.vcm.table.PlacementPolicy.Drift;
import dev.colony.vcm.table.PlacementPolicy.Rebalance;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.sharding.ShardCoordinator;
import org.apache.pekko.dispatch.Futures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.IndexedSeq;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Decides on which node a shard is placed: each shard is a placement unit, and it goes to the node
 * whose replica holds most of the unit's pages, as the placement policy weighs it.
 *
 * <p>It decides from the local copy of the page table and never waits. A policy that fails costs
 * affinity, not availability: the unit then goes to the node with the fewest units.
 *
 * <p>What rebalancing remembers of earlier rounds lives in the node of the shard coordinator; where
 * that moves, units follow their pages a little later.
 */
public final class PageAffinityAllocation extends ShardCoordinator.AbstractShardAllocationStrategy
    implements ShardCoordinator.ActorSystemDependentAllocationStrategy {

  private static final Logger LOG = LoggerFactory.getLogger(PageAffinityAllocation.class);

  private final PlacementPolicy policy;
  private final Supplier<PageTableSnapshot> table;
  private final InstantSource clock;
  private volatile NodeAddress self;
  private volatile Drift drift = Drift.NONE;

  /**
   * @param table the local copy of the page table; must not do I/O
   */
  public PageAffinityAllocation(
      PlacementPolicy policy, Supplier<PageTableSnapshot> table, InstantSource clock) {
    this.policy = policy;
    this.table = table;
    this.clock = clock;
  }

  @Override
  public void start(ActorSystem system) {
    self = ShardingLayout.NodeAddresses.of(Cluster.get(system).selfAddress());
  }

  @Override
  public Future<ActorRef> allocateShard(
      ActorRef requester, String shardId, Map<ActorRef, IndexedSeq<String>> allocations) {
    return Futures.successful(choose(shardId, allocations));
  }

  @Override
  public Future<Set<String>> rebalance(
      Map<ActorRef, IndexedSeq<String>> allocations, Set<String> inProgress) {
    return Futures.successful(inProgress.isEmpty() ? misplaced(allocations) : Set.of());
  }

  private ActorRef choose(String shardId, Map<ActorRef, IndexedSeq<String>> allocations) {
    Map<NodeAddress, ActorRef> regions = new HashMap<>();
    allocations.keySet().forEach(region -> regions.put(nodeOf(region), region));
    try {
      NodeAddress node = policy.place(Integer.parseInt(shardId), table.get(), view(allocations));
      return regions.get(node);
    } catch (RuntimeException failure) {
      LOG.warn("unit {} goes to the node with the fewest units", shardId, failure);
      return allocations.entrySet().stream()
          .min(Comparator.comparingInt(region -> region.getValue().size()))
          .orElseThrow()
          .getKey();
    }
  }

  private Set<String> misplaced(Map<ActorRef, IndexedSeq<String>> allocations) {
    try {
      Rebalance round = policy.rebalance(table.get(), view(allocations), drift, clock.instant());
      drift = round.drift();
      if (!round.moves().isEmpty()) {
        LOG.info("units move: {}", round.moves());
      }
      return round.moves().keySet().stream()
          .map(unit -> Integer.toString(unit))
          .collect(Collectors.toSet());
    } catch (RuntimeException failure) {
      LOG.warn("no unit is moved in this round", failure);
      return Set.of();
    }
  }

  private ClusterView view(Map<ActorRef, IndexedSeq<String>> allocations) {
    Map<Integer, NodeAddress> units = new HashMap<>();
    allocations.forEach((region, shards) ->
        CollectionConverters.asJava(shards)
            .forEach(shard -> units.put(Integer.parseInt(shard), nodeOf(region))));
    return ClusterView.of(allocations.keySet().stream().map(this::nodeOf).toList(), units);
  }

  private NodeAddress nodeOf(ActorRef region) {
    return ShardingLayout.NodeAddresses.of(region.path().address(), self);
  }
}
