package dev.colony.node.home;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentKind;
import dev.colony.vcm.placement.ClusterView;
import dev.colony.vcm.placement.PlacementPolicy;
import dev.colony.vcm.placement.PlacementRequest;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.OptionalInt;
import java.util.function.Supplier;

/** Chooses placement units for agents that exist. Thread-safe; answers from memory. */
public final class Homes {

  private final PlacementPolicy policy;
  private final Supplier<PageTableSnapshot> table;
  private final Supplier<ClusterView> cluster;

  /**
   * @param table must do no I/O
   * @param cluster neither
   */
  public Homes(
      PlacementPolicy policy, Supplier<PageTableSnapshot> table, Supplier<ClusterView> cluster) {
    this.policy = policy;
    this.table = table;
    this.cluster = cluster;
  }

  /** A unit that suits an agent better than its present one; empty if that is good enough. */
  public OptionalInt better(AgentId agent, int unit, AgentBlueprint blueprint) {
    return policy.home(request(agent, unit, blueprint), table.get(), cluster.get());
  }

  /** A unit of a node for an agent; empty if it lives on that node, or that has no units. */
  public OptionalInt on(NodeAddress node, AgentId agent, int unit, AgentBlueprint blueprint) {
    return policy.homeOn(node, request(agent, unit, blueprint), table.get(), cluster.get());
  }

  private static PlacementRequest request(AgentId agent, int unit, AgentBlueprint blueprint) {
    return new PlacementRequest(
        unit,
        blueprint.pages(),
        blueprint.kind() == AgentKind.VCM_BOUND,
        agent.persistenceId().hashCode());
  }
}
