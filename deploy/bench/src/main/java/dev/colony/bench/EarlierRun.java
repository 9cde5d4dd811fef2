package dev.colony.bench;

import dev.colony.agent.AgentId;
import dev.colony.bench.AnalystLoad.Reading;
import dev.colony.blackboard.Blackboards;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.placement.ClusterView;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Warms the replicas unevenly, as an earlier run leaves them: agents that are bound to nothing read
 * each group on the node that is to hold it.
 *
 * <p>An agent lives in a placement unit of our choice, but which node has the unit is the
 * cluster's. So one reader after another is started, each in a unit of its own, until every node
 * has one: where the page that it read shows up is where its unit is. The other readers join these
 * units.
 */
final class EarlierRun {

  /**
   * Settings by which each node reads at its own replica, however many agents read at once, so that
   * pages are where agents are.
   */
  static final String AT_OWN_REPLICAS =
      """
      colony.inference.routing.reach = 1 minute
      colony.inference.gateway.max-concurrent-per-replica = 65536
      """;

  private static final Duration REPORTED_WITHIN = Duration.ofSeconds(60);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
  private static final String QUESTION = "What does this part do?";

  private final PageTable table;
  private final List<NodeAddress> nodes;
  private final Skew skew;
  private final AnalystLoad analysts;
  private final Map<AgentId, Integer> homes = new HashMap<>();
  private final Map<Integer, NodeAddress> units = new TreeMap<>();

  /**
   * @param table what is resident, as it is known in this process
   */
  EarlierRun(
      Blackboards blackboards,
      PageTable table,
      List<NodeAddress> nodes,
      Skew skew,
      ClientSettings client) {
    this.table = table;
    this.nodes = nodes;
    this.skew = skew;
    this.analysts =
        new AnalystLoad(
            new BlackboardColony(blackboards, (agent, blueprint) -> homes.get(agent), client),
            QUESTION);
  }

  /**
   * Reads all of them, and waits until the page table shows them as resident.
   *
   * @return the units that it took up on the nodes
   * @throws CommandFailure if there are too few groups to find all nodes, or the replicas do not
   *     keep what they were shown
   */
  ClusterView read(List<PageGroup> groups) {
    Deque<PageGroup> left = new ArrayDeque<>(groups);
    Map<PageGroup, NodeAddress> places = new HashMap<>();
    List<Long> held = new ArrayList<>(nodes.stream().map(node -> 0L).toList());
    SortedMap<NodeAddress, Integer> unitOf = new TreeMap<>();
    while (unitOf.size() < nodes.size()) {
      PageGroup group = Optional.ofNullable(left.poll()).orElseThrow(EarlierRun::tooFew);
      int unit = units.size();
      analysts.read(List.of(reading(group, unit)));
      NodeAddress node = whereIs(group.pages().getFirst());
      units.put(unit, node);
      unitOf.putIfAbsent(node, unit);
      place(group, node, places, held);
    }
    List<Reading> rest = new ArrayList<>();
    for (PageGroup group : left) {
      NodeAddress node = nodes.get(skew.next(held, group.sizeTokens()));
      place(group, node, places, held);
      rest.add(reading(group, unitOf.get(node)));
    }
    analysts.read(rest);
    places.forEach((group, node) ->
        await(table -> group.pages().stream().allMatch(page -> table.resident(page, node))));
    return ClusterView.of(nodes, units);
  }

  private Reading reading(PageGroup group, int unit) {
    AgentId reader = new AgentId("bench", "earlier", "reader-" + group.id().value());
    homes.put(reader, unit);
    return new Reading(reader, AnalystLoad.BLUEPRINT, group.pages());
  }

  private void place(
      PageGroup group, NodeAddress node, Map<PageGroup, NodeAddress> places, List<Long> held) {
    places.put(group, node);
    int index = nodes.indexOf(node);
    held.set(index, held.get(index) + group.sizeTokens());
  }

  private NodeAddress whereIs(PageId page) {
    await(known -> !known.replicasWith(page).isEmpty());
    PageTableSnapshot known = table.snapshot();
    ReplicaId holder = known.replicasWith(page).first();
    return known.replica(holder).orElseThrow().node();
  }

  private void await(Predicate<PageTableSnapshot> condition) {
    long deadline = System.nanoTime() + REPORTED_WITHIN.toNanos();
    while (!condition.test(table.snapshot())) {
      if (System.nanoTime() > deadline) {
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL,
            "the replicas do not hold what was read: give a smaller --groups, or a larger "
                + "colony.inference.embedded.capacity-blocks");
      }
      try {
        Thread.sleep(LOOK_AGAIN.toMillis());
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
      }
    }
  }

  private static CommandFailure tooFew() {
    return new CommandFailure(
        ExitCode.BAD_INPUT, "the tree gives too few groups of pages: name a larger one");
  }
}
