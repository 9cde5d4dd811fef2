package dev.colony.vcm.table;

import dev.colony.vcm.table.NodeLoads.NodePicker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** The units while groups are being given to them. */
final class UnitLoads {

  /** One unit: the node that it is on or, being on none, is drawn to; and its groups' tokens. */
  static final class Unit {
    private final int number;
    private final boolean allocated;
    private Optional<NodeAddress> node;
    private long sizeTokens;
    private boolean empty;

    Unit(
        int number, boolean allocated, Optional<NodeAddress> node, long sizeTokens, boolean empty) {
      this.number = number;
      this.allocated = allocated;
      this.node = node;
      this.sizeTokens = sizeTokens;
      this.empty = empty;
    }

    int number() {
      return number;
    }

    long sizeTokens() {
      return sizeTokens;
    }

    Optional<NodeAddress> node() {
      return node;
    }

    /** Whether whatever is put in it decides where it goes. */
    boolean free() {
      return empty && !allocated;
    }

    void add(long tokens, Optional<NodeAddress> drawnTo) {
      sizeTokens += tokens;
      empty = false;
      if (node.isEmpty()) {
        node = drawnTo;
      }
    }
  }

  private final List<Unit> units = new ArrayList<>();

  UnitLoads(int count, PageTableSnapshot table, ClusterView cluster, NodeLoads loads) {
    for (int unit = 0; unit < count; unit++) {
      Optional<NodeAddress> on = Optional.ofNullable(cluster.units().get(unit));
      SortedMap<NodeAddress, Long> resident = table.residentTokens(unit);
      Optional<NodeAddress> drawnTo =
          on.or(() -> NodePicker.strongest(resident, cluster.nodes(), loads));
      boolean empty = table.groups(unit).isEmpty();
      units.add(new Unit(unit, on.isPresent(), drawnTo, table.sizeTokens(unit), empty));
    }
  }

  static int checked(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("there are " + count + " units, must be 1 or more");
    }
    return count;
  }

  List<Unit> all() {
    return units;
  }
}
