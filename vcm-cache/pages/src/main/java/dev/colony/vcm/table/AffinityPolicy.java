package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.table.NodeLoads.NodePicker;
import dev.colony.vcm.table.PlacementPolicy.Drift;
import dev.colony.vcm.table.PlacementPolicy.PlacementRequest;
import dev.colony.vcm.table.PlacementPolicy.Rebalance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Groups and units go where their pages are resident, within bounds of balance. */
final class AffinityPolicy implements PlacementPolicy {

  private final UnitAssigner assigner;
  private final UnitPlacer placer;
  private final Rebalancer rebalancer;
  private final StickyPlacement sticky;
  private final HomeChoice homes;

  AffinityPolicy(PlacementSettings settings, int units) {
    this.assigner = new UnitAssigner(units);
    this.placer = new UnitPlacer(settings.imbalance());
    this.rebalancer = new Rebalancer(settings.rebalanceHysteresis(), settings.rebalanceMoves());
    this.sticky = new StickyPlacement(settings.follow(), placer);
    this.homes = new HomeChoice(settings.follow().margin());
  }

  @Override
  public SortedMap<PageGroupId, Integer> assign(
      Collection<PageGroup> groups, PageTableSnapshot table, ClusterView cluster) {
    return assigner.assign(groups, table, cluster);
  }

  @Override
  public NodeAddress place(int unit, PageTableSnapshot table, ClusterView cluster) {
    return placer.place(unit, table, cluster);
  }

  /** Load first: what leaves a node that is too full makes room there, for others than itself. */
  @Override
  public Rebalance rebalance(
      PageTableSnapshot table, ClusterView cluster, Drift drift, Instant now) {
    SortedMap<Integer, NodeAddress> moves = new TreeMap<>(rebalancer.rebalance(table, cluster));
    ClusterView view = cluster;
    for (Map.Entry<Integer, NodeAddress> move : moves.entrySet()) {
      view = view.with(move.getKey(), move.getValue());
    }
    Rebalance followed = sticky.follow(table, view, drift, now);
    moves.putAll(followed.moves());
    return new Rebalance(moves, followed.drift());
  }

  @Override
  public OptionalInt home(PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    return homes.better(request, table, cluster);
  }

  @Override
  public OptionalInt homeOn(
      NodeAddress node, PlacementRequest request, PageTableSnapshot table, ClusterView cluster) {
    return homes.on(node, request, table, cluster);
  }

  /**
   * Moves units only away from a node that holds clearly more than the average: those with the
   * least resident there first, to the least loaded node, and only where that node ends below the
   * one that gave. The bound from which it moves is at least the one that placing keeps, so that
   * what it moves is not placed back, whatever is resident there.
   */
  static final class Rebalancer {

    private final double hysteresis;
    private final int moves;

    Rebalancer(double hysteresis, int moves) {
      this.hysteresis = hysteresis;
      this.moves = moves;
    }

    SortedMap<Integer, NodeAddress> rebalance(PageTableSnapshot table, ClusterView cluster) {
      SortedMap<Integer, NodeAddress> moved = new TreeMap<>();
      ClusterView view = cluster;
      for (int i = 0; i < moves; i++) {
        Optional<Map.Entry<Integer, NodeAddress>> move = next(table, view, moved);
        if (move.isEmpty()) {
          break;
        }
        moved.put(move.get().getKey(), move.get().getValue());
        TreeMap<Integer, NodeAddress> units = new TreeMap<>(view.units());
        units.putAll(moved);
        view = new ClusterView(view.nodes(), units);
      }
      return moved;
    }

    private Optional<Map.Entry<Integer, NodeAddress>> next(
        PageTableSnapshot table, ClusterView view, Map<Integer, NodeAddress> moved) {
      if (view.nodes().size() < 2) {
        return Optional.empty();
      }
      NodeLoads loads = NodeLoads.of(table, view);
      Comparator<NodeAddress> byLoad =
          Comparator.<NodeAddress>comparingLong(loads::of).thenComparing(Comparator.naturalOrder());
      NodeAddress fullest = view.nodes().stream().max(byLoad).orElseThrow();
      NodeAddress emptiest = view.nodes().stream().min(byLoad).orElseThrow();
      if (loads.of(fullest) <= hysteresis * loads.average()) {
        return Optional.empty();
      }
      return view.units().entrySet().stream()
          .filter(unit -> unit.getValue().equals(fullest) && !moved.containsKey(unit.getKey()))
          .map(Map.Entry::getKey)
          .filter(unit ->
              loads.of(emptiest) + NodeLoads.load(unit, table)
                  <= loads.of(fullest) - NodeLoads.load(unit, table))
          .min(
              Comparator.<Integer>comparingLong(
                      unit -> table.residentTokens(unit).getOrDefault(fullest, 0L))
                  .thenComparing(Comparator.naturalOrder()))
          .map(unit -> Map.entry(unit, emptiest));
    }
  }

  /**
   * Says in which unit an agent had better live. One that is bound to a group lives in the group's
   * unit, which itself follows the pages. Others move to a unit of the node that holds clearly more
   * of their pages than their own; one without pages stays.
   */
  static final class HomeChoice {

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

  /**
   * A unit goes to the node that holds most of its groups' tokens, as long as that node does not
   * get too large a share of all; without residency, or in a tie, to the least loaded.
   */
  static final class UnitPlacer {

    private final double imbalance;

    UnitPlacer(double imbalance) {
      this.imbalance = imbalance;
    }

    NodeAddress place(int unit, PageTableSnapshot table, ClusterView cluster) {
      return NodePicker.pick(
          bounded(unit, NodeLoads.checked(cluster).nodes(), table, cluster),
          table.residentTokens(unit),
          NodeLoads.of(table, cluster));
    }

    /**
     * Keeps nodes whose load, the unit included, stays within a multiple of the average that all
     * assigned groups give each node once they are placed; all nodes where none would remain. One
     * unit always fits on an empty node.
     */
    private SortedSet<NodeAddress> bounded(
        int unit, SortedSet<NodeAddress> nodes, PageTableSnapshot table, ClusterView cluster) {
      NodeLoads loads = NodeLoads.of(table, cluster);
      long unplaced =
          table.units().stream()
              .filter(other -> !cluster.units().containsKey(other))
              .mapToLong(other -> NodeLoads.load(other, table))
              .sum();
      double average = loads.average() + (double) unplaced / cluster.nodes().size();
      long added = NodeLoads.load(unit, table);
      SortedSet<NodeAddress> left = new TreeSet<>(nodes);
      left.removeIf(node -> loads.of(node) > 0 && loads.of(node) + added > imbalance * average);
      return left.isEmpty() ? nodes : left;
    }
  }

  /**
   * Sends units after their pages. Caches change all the time, and a move costs every agent of the
   * unit a recovery; so a unit goes only where its pages have been in each round for a while, where
   * clearly more of them are than at home, and where the placer would put it today, so that the
   * bound on a node's load holds and the move is not taken back. Calls go where pages are resident,
   * so that the pages of a unit that has followed them stay.
   */
  static final class StickyPlacement {

    private final PlacementSettings.Follow settings;
    private final UnitPlacer placer;

    StickyPlacement(PlacementSettings.Follow settings, UnitPlacer placer) {
      this.settings = settings;
      this.placer = placer;
    }

    /**
     * The units to move now, those that gain most first, at most as many as the interval has left.
     *
     * @param cluster as it will be when what else moves has moved
     */
    Rebalance follow(PageTableSnapshot table, ClusterView cluster, Drift before, Instant now) {
      SortedMap<Integer, Drift.Sighting> elsewhere = new TreeMap<>();
      for (int unit : cluster.units().keySet()) {
        better(unit, table, cluster)
            .ifPresent(where -> elsewhere.put(unit, before.sighting(unit, where, now)));
      }
      List<Instant> moved =
          new ArrayList<>(
              before.moved().stream()
                  .filter(at -> at.plus(settings.interval()).isAfter(now))
                  .toList());
      SortedMap<Integer, NodeAddress> moves = new TreeMap<>();
      ClusterView view = cluster;
      for (int unit : due(elsewhere, table, cluster, now)) {
        NodeAddress where = elsewhere.get(unit).where();
        // Those that moved before it may have taken the room.
        boolean still = better(unit, table, view).equals(Optional.of(where));
        if (moved.size() < settings.moves() && still) {
          moves.put(unit, where);
          moved.add(now);
          elsewhere.remove(unit);
          view = view.with(unit, where);
        }
      }
      return new Rebalance(moves, new Drift(elsewhere, moved));
    }

    private List<Integer> due(
        SortedMap<Integer, Drift.Sighting> elsewhere,
        PageTableSnapshot table,
        ClusterView cluster,
        Instant now) {
      return elsewhere.entrySet().stream()
          .filter(seen -> !seen.getValue().since().plus(settings.after()).isAfter(now))
          .sorted(
              Comparator.<Map.Entry<Integer, Drift.Sighting>>comparingLong(seen ->
                      -gain(
                          table.residentTokens(seen.getKey()),
                          cluster.units().get(seen.getKey()),
                          seen.getValue().where()))
                  .thenComparing(Map.Entry::getKey))
          .map(Map.Entry::getKey)
          .toList();
    }

    /** Where a unit would be clearly nearer to its pages. */
    private Optional<NodeAddress> better(int unit, PageTableSnapshot table, ClusterView cluster) {
      NodeAddress here = cluster.units().get(unit);
      SortedMap<NodeAddress, Long> resident = table.residentTokens(unit);
      double least = Math.max(1, settings.margin() * table.sizeTokens(unit));
      boolean anywhere =
          cluster.nodes().stream().anyMatch(node -> gain(resident, here, node) >= least);
      return anywhere
          ? Optional.of(placer.place(unit, table, cluster.without(unit)))
              .filter(node -> gain(resident, here, node) >= least)
          : Optional.empty();
    }

    private static long gain(Map<NodeAddress, Long> resident, NodeAddress here, NodeAddress there) {
      return resident.getOrDefault(there, 0L) - resident.getOrDefault(here, 0L);
    }
  }
}
