package dev.colony.core.capacity;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.CapacityUse.CapacityReport;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted.Resource;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.vcm.table.NodeAddress;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What becomes of an agent for which its node had no capacity. The ways are tried in this order:
 * the nodes that it must be on, those that it had better be on, waiting, and in the end another
 * agent gives way.
 *
 * <p>Source: the seed's handling of {@code ResourceExhausted}.
 */
public sealed interface Cascade {

  /** It runs on a node whose replica has all its pages, which it is bound to. */
  record HardAffinity(NodeAddress node) implements Cascade {}

  /** It runs on this node, which has most of its pages, or most capacity. */
  record SoftAffinity(NodeAddress node) implements Cascade {}

  /** It waits, durably. */
  record Queue(ResourceExhausted why) implements Cascade {}

  /** It runs on this node as soon as another agent there has ended its step and is suspended. */
  record SuspendLower(NodeAddress node, AgentId victim) implements Cascade {}

  /**
   * Decides.
   *
   * @param nodes the capacity of all nodes
   */
  static Cascade decide(
      WaitingAgent agent, Collection<CapacityReport> nodes, Preemption preemption, Instant now) {
    List<CapacityReport> possible =
        nodes.stream().filter(report -> agent.mayRunOn(report.node())).toList();
    Optional<NodeAddress> best =
        possible.stream()
            .filter(report -> report.fits(agent.request()))
            .max(better(agent))
            .map(CapacityReport::node);
    if (best.isPresent()) {
      return agent.request().kind() == AgentKind.VCM_BOUND
          ? new HardAffinity(best.get())
          : new SoftAffinity(best.get());
    }
    return possible.stream()
        .flatMap(report ->
            preemption.givesWay(agent.request(), report.lowest().stream().toList(), now).stream()
                .map(victim -> (Cascade) new SuspendLower(report.node(), victim.request().agent())))
        .findFirst()
        .orElseGet(() -> new Queue(missing(agent.request(), possible)));
  }

  /** Pages first, then where it is, since a move costs something, then capacity. */
  private static Comparator<CapacityReport> better(WaitingAgent agent) {
    return Comparator.<CapacityReport>comparingInt(report -> agent.residentOn(report.node()))
        .thenComparing(report -> agent.atHome(report.node()))
        .thenComparingInt(CapacityReport::free)
        .thenComparing(CapacityReport::node, Comparator.reverseOrder());
  }

  private static ResourceExhausted missing(SlotRequest request, List<CapacityReport> possible) {
    long tokens = possible.stream().mapToLong(CapacityReport::freeTokens).max().orElse(0);
    return possible.stream().anyMatch(report -> report.free() > 0)
        ? new ResourceExhausted(Resource.KV_TOKENS, request.tokens(), tokens)
        : new ResourceExhausted(Resource.AGENTS, 1, 0);
  }

  /**
   * An agent that has no slot on its node, as the cascade sees it.
   *
   * @param home the node that its placement unit is on; empty if it is on none now
   * @param resident how many of its pages each node's replica holds; nodes without any may be left
   *     out
   * @param pages how many it has
   * @param movable whether it can be given another home
   */
  record WaitingAgent(
      SlotRequest request,
      Optional<NodeAddress> home,
      Map<NodeAddress, Integer> resident,
      int pages,
      boolean movable) {

    public WaitingAgent {
      resident = Map.copyOf(resident);
    }

    /** Whether it may run on a node at all. */
    boolean mayRunOn(NodeAddress node) {
      boolean reachable = movable || home.isEmpty() || home.get().equals(node);
      boolean bound = request.kind() == AgentKind.VCM_BOUND;
      return reachable && (!bound || residentOn(node) >= pages);
    }

    int residentOn(NodeAddress node) {
      return resident.getOrDefault(node, 0);
    }

    boolean atHome(NodeAddress node) {
      return home.filter(node::equals).isPresent();
    }
  }
}
