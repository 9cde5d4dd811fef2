package dev.colony.core.capacity;

import dev.colony.core.capacity.SlotRequest.AdmittedAgent;
import dev.colony.vcm.table.NodeAddress;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a node said of its capacity last.
 *
 * @param life grows with each start of the node
 * @param free agents for which there is capacity, 0 or more
 * @param freeTokens of its model server's cache, 0 or more
 * @param capacity agents that may be at work at once
 * @param visitors agents that came there from a durable wait and wait on in memory
 * @param arrived agents that came there from a durable wait in this life of the node
 * @param atWork agents at work of each tenant; of the tenants with the most, if they are many
 * @param lowest the agent at work there that would give way first; empty if none may
 */
public record CapacityReport(
    NodeAddress node,
    long life,
    int free,
    long freeTokens,
    int capacity,
    int visitors,
    long arrived,
    Map<String, Integer> atWork,
    Optional<AdmittedAgent> lowest) {

  public CapacityReport {
    Objects.requireNonNull(node, "node");
    atWork = atWork == null ? Map.of() : Map.copyOf(atWork);
    lowest = lowest == null ? Optional.empty() : lowest;
  }

  /**
   * Whether a request fits; one for which no node is large enough fits where no agent is at work.
   */
  boolean fits(SlotRequest request) {
    return free > 0 && (free == capacity || request.tokens() <= freeTokens);
  }

  /** The same with less capacity, and none that gives way if there are some in flight already. */
  CapacityReport without(int agents, long tokens) {
    return new CapacityReport(
        node,
        life,
        Math.max(0, free - agents),
        Math.max(0, freeTokens - tokens),
        capacity,
        visitors,
        arrived,
        atWork,
        agents > free ? Optional.empty() : lowest);
  }
}
