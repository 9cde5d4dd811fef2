package dev.colony.core.capacity;

import dev.colony.agent.AgentKind;
import dev.colony.vcm.table.NodeAddress;
import java.util.Map;
import java.util.Optional;

/**
 * An agent that has no slot on its node, as the cascade sees it.
 *
 * @param home the node that its placement unit is on; empty if it is on none now
 * @param resident how many of its pages each node's replica holds; nodes without any may be left
 *     out
 * @param pages how many it has
 * @param movable whether it can be given another home
 */
public record WaitingAgent(
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
