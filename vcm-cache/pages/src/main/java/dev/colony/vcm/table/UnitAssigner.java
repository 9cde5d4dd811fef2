package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.table.NodeLoads.NodePicker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Gives new groups their units. A group is drawn to the node that holds most of its tokens, and
 * goes to the emptiest unit that is on that node or drawn to it. Free units (on no node and without
 * groups) are shared out in proportion to the tokens drawn to each node, one at least, so that no
 * node's groups use up what another's need. Groups that nothing draws go to the emptiest units.
 */
final class UnitAssigner {

  private final int units;

  UnitAssigner(int units) {
    this.units = UnitLoads.checked(units);
  }

  /** One unit for each group, whatever the order of the groups. */
  SortedMap<PageGroupId, Integer> assign(
      Collection<PageGroup> groups, PageTableSnapshot table, ClusterView cluster) {
    NodeLoads loads = NodeLoads.of(table, cluster);
    Map<Optional<NodeAddress>, List<PageGroup>> drawn = new HashMap<>();
    // Large ones first: small ones then even out what these leave uneven.
    groups.stream()
        .sorted(
            Comparator.comparingInt(PageGroup::sizeTokens).reversed().thenComparing(PageGroup::id))
        .forEach(group ->
            drawn
                .computeIfAbsent(
                    NodePicker.strongest(
                        table.residentTokens(group.pages()), cluster.nodes(), loads),
                    node -> new ArrayList<>())
                .add(group));
    Round round = new Round(new UnitLoads(units, table, cluster, loads), drawn);
    List<Optional<NodeAddress>> nodes =
        Stream.concat(
                cluster.nodes().stream().map(Optional::of),
                Stream.of(Optional.<NodeAddress>empty()))
            .filter(drawn::containsKey)
            .toList();
    nodes.forEach(node -> round.put(drawn.get(node).getFirst(), node));
    nodes.forEach(node -> drawn.get(node).stream().skip(1).forEach(g -> round.put(g, node)));
    return round.assigned;
  }

  /** One assignment of several groups. */
  private static final class Round {
    private final UnitLoads loads;
    private final Map<Optional<NodeAddress>, Long> drawnTokens = new HashMap<>();
    private final long allTokens;
    private final SortedMap<PageGroupId, Integer> assigned = new TreeMap<>();

    Round(UnitLoads loads, Map<Optional<NodeAddress>, List<PageGroup>> drawn) {
      this.loads = loads;
      loads.all().stream()
          .filter(unit -> !unit.free())
          .forEach(unit -> drawnTokens.merge(unit.node(), unit.sizeTokens(), Long::sum));
      drawn.forEach((node, groups) ->
          drawnTokens.merge(
              node, groups.stream().mapToLong(PageGroup::sizeTokens).sum(), Long::sum));
      this.allTokens = Math.max(1, drawnTokens.values().stream().mapToLong(Long::longValue).sum());
    }

    void put(PageGroup group, Optional<NodeAddress> node) {
      UnitLoads.Unit unit = unit(node);
      unit.add(group.sizeTokens(), node);
      assigned.put(group.id(), unit.number());
    }

    private UnitLoads.Unit unit(Optional<NodeAddress> node) {
      List<UnitLoads.Unit> own =
          loads.all().stream().filter(unit -> !unit.free() && unit.node().equals(node)).toList();
      Optional<UnitLoads.Unit> emptiest = emptiest(own);
      if (emptiest.isPresent() && emptiest.get().sizeTokens() == 0) {
        return emptiest.get();
      }
      Optional<UnitLoads.Unit> free = loads.all().stream().filter(UnitLoads.Unit::free).findFirst();
      long share = Math.round((double) loads.all().size() * drawnTokens.get(node) / allTokens);
      if (free.isPresent() && own.size() < Math.max(1, share)) {
        return free.get();
      }
      // What nothing draws may join any node's units.
      return node.isPresent() && emptiest.isPresent()
          ? emptiest.get()
          : emptiest(loads.all()).orElseThrow();
    }

    private static Optional<UnitLoads.Unit> emptiest(List<UnitLoads.Unit> candidates) {
      return candidates.stream()
          .min(
              Comparator.comparingLong(UnitLoads.Unit::sizeTokens)
                  .thenComparingInt(UnitLoads.Unit::number));
    }
  }

  /** The units while groups are being given to them. */
  static final class UnitLoads {

    /** One unit: the node that it is on or, being on none, is drawn to; and its groups' tokens. */
    static final class Unit {
      private final int number;
      private final boolean allocated;
      private Optional<NodeAddress> node;
      private long sizeTokens;
      private boolean empty;

      Unit(
          int number,
          boolean allocated,
          Optional<NodeAddress> node,
          long sizeTokens,
          boolean empty) {
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
}
