package dev.colony.vcm.table;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/**
 * The nodes and which of them each unit runs on, as far as the node that decides knows.
 *
 * @param nodes those that may be given units
 * @param units the units that are allocated; those on other nodes are left out
 */
public record ClusterView(SortedSet<NodeAddress> nodes, SortedMap<Integer, NodeAddress> units) {

  public ClusterView {
    nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
    TreeMap<Integer, NodeAddress> known = new TreeMap<>(units);
    known.values().retainAll(nodes);
    units = Collections.unmodifiableSortedMap(known);
  }

  public static ClusterView of(
      Collection<NodeAddress> nodes, Map<Integer, NodeAddress> allocations) {
    return new ClusterView(new TreeSet<>(nodes), new TreeMap<>(allocations));
  }

  /** The same with a unit on a node. */
  ClusterView with(int unit, NodeAddress node) {
    TreeMap<Integer, NodeAddress> changed = new TreeMap<>(units);
    changed.put(unit, node);
    return new ClusterView(nodes, changed);
  }

  /** The same with a unit that is not allocated. */
  ClusterView without(int unit) {
    TreeMap<Integer, NodeAddress> changed = new TreeMap<>(units);
    changed.remove(unit);
    return new ClusterView(nodes, changed);
  }

  /** Which nodes there are and which units each of them runs, asked for from any node. */
  @FunctionalInterface
  public interface ClusterLayout {

    /**
     * The layout about now. Nodes that do not answer in time are in it without their units; it
     * never fails.
     */
    CompletionStage<ClusterView> view();
  }
}
