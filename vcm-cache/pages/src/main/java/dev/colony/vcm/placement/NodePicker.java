package dev.colony.vcm.placement;

import dev.colony.vcm.table.NodeAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Picks the node with the highest score; among equals the least loaded; then the first by name. */
final class NodePicker {

  private NodePicker() {}

  static NodeAddress pick(
      Collection<NodeAddress> nodes, Map<NodeAddress, Long> scores, NodeLoads loads) {
    return nodes.stream()
        .min(
            Comparator.<NodeAddress>comparingLong(node -> -scores.getOrDefault(node, 0L))
                .thenComparingLong(loads::of)
                .thenComparing(Comparator.naturalOrder()))
        .orElseThrow();
  }

  /** The node on which most is resident; empty where nothing is resident on any of the nodes. */
  static Optional<NodeAddress> strongest(
      Map<NodeAddress, Long> resident, Collection<NodeAddress> nodes, NodeLoads loads) {
    List<NodeAddress> holders =
        nodes.stream().filter(node -> resident.getOrDefault(node, 0L) > 0).toList();
    return holders.isEmpty() ? Optional.empty() : Optional.of(pick(holders, resident, loads));
  }
}
