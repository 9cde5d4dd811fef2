package dev.colony.vcm.placement;

import dev.colony.vcm.table.GroupAssignment;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;

/**
 * Says in which unit an agent had better live. One that is bound to a group lives in the group's
 * unit, which itself follows the pages. Others move to a unit of the node that holds clearly more
 * of their pages than their own; one without pages stays.
 */
final class HomeChoice {

  private final double margin;

  /**
   * @param margin how much more of the pages' tokens another node has to hold, as a share of all
   */
  HomeChoice(double margin) {
    this.margin = margin;
  }

  /** Another unit than the present one; empty if that is good enough. */
  OptionalInt better(PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    Optional<GroupAssignment> group = request.pages().flatMap(table::assignment);
    if (group.isEmpty()) {
      return OptionalInt.empty();
    }
    return other(
        request,
        request.bound()
            ? OptionalInt.of(group.get().unit())
            : nearer(request, group.get(), table, cluster));
  }

  /** The best unit of a node; empty if it has none, or the present one is there. */
  OptionalInt on(
      NodeAddress node, PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    if (node.equals(cluster.units().get(request.unit()))) {
      return OptionalInt.empty();
    }
    OptionalInt own = request.pages().map(table::unit).orElseGet(OptionalInt::empty);
    if (own.isPresent() && node.equals(cluster.units().get(own.getAsInt()))) {
      return own;
    }
    return cluster.units().entrySet().stream()
        .filter(unit -> unit.getValue().equals(node))
        .map(Map.Entry::getKey)
        .min(
            Comparator.<Integer>comparingLong(table::sizeTokens)
                .thenComparingInt(unit -> Objects.hash(unit, request.key()) * 0x9E3779B9)
                .thenComparing(Comparator.naturalOrder()))
        .map(OptionalInt::of)
        .orElseGet(OptionalInt::empty);
  }

  private OptionalInt nearer(
      PlacementRequest request,
      GroupAssignment group,
      PageTableSnapshot table,
      ClusterView cluster) {
    SortedMap<NodeAddress, Long> resident = table.residentTokens(group.pages());
    NodeAddress here = cluster.units().get(request.unit());
    long held = here == null ? 0 : resident.getOrDefault(here, 0L);
    double least = Math.max(1, held + margin * group.sizeTokens());
    return NodePicker.strongest(resident, cluster.nodes(), NodeLoads.of(table, cluster))
        .filter(node -> resident.get(node) >= least)
        .map(node -> on(node, request, table, cluster))
        .orElseGet(OptionalInt::empty);
  }

  private static OptionalInt other(PlacementRequest request, OptionalInt unit) {
    return unit.isPresent() && unit.getAsInt() != request.unit() ? unit : OptionalInt.empty();
  }
}
