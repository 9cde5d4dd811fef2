package dev.colony.bench;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunStats;
import dev.colony.bench.AnalystLoad.Reading;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.node.entity.AgentSettings;
import dev.colony.server.node.PageHomes;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.placement.ClusterView;
import dev.colony.vcm.placement.PlacementPolicy;
import dev.colony.vcm.settings.PlacementSettings;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * One policy on a cluster that has run nothing yet: an earlier run warms the replicas, then every
 * group gets its unit and a new agent, and all of them make their first call.
 */
final class PlacementRound {

  private static final String QUESTION = "Where is this decided?";

  private final Blackboards blackboards;
  private final Config config;
  private final List<NodeAddress> nodes;

  /**
   * @param blackboards of the cluster
   * @param config that of its nodes
   * @param nodes all of them
   */
  PlacementRound(Blackboards blackboards, Config config, Collection<NodeAddress> nodes) {
    this.blackboards = blackboards;
    this.config = config;
    this.nodes = List.copyOf(new TreeSet<>(nodes));
  }

  /** Blocks until all agents have made their first call; the groups' pages must be stored. */
  PlacementReport.Round run(List<PageGroup> groups) {
    PlacementSettings settings = PlacementSettings.fromConfig(config);
    ClientSettings client = ClientSettings.fromConfig(config);
    int units = AgentSettings.fromConfig(config).placementUnits();
    PlacementPolicy policy = PlacementPolicy.of(settings, units);
    try (BlackboardPageTable table =
        new BlackboardPageTable(blackboards, "bench", TableSettings.fromConfig(config))) {
      table.loaded().toCompletableFuture().join();
      Skew skew = new Skew(nodes.size(), settings.imbalance());
      ClusterView cluster = new EarlierRun(blackboards, table, nodes, skew, client).read(groups);
      List<Long> warm = warmTokens(groups, table.snapshot());
      table
          .assign(groups, (fresh, known) -> policy.assign(fresh, known, cluster))
          .toCompletableFuture()
          .join();
      AnalystLoad analysts =
          new AnalystLoad(
              new BlackboardColony(blackboards, new PageHomes(table, units), client), QUESTION);
      RunStats stats =
          analysts.read(groups.stream().map(PlacementRound::firstCall).toList()).stream()
              .map(run -> run.stats())
              .reduce(RunStats.NONE, RunStats::plus);
      return new PlacementReport.Round(
          settings.policy().name().toLowerCase(Locale.ROOT),
          warm,
          stats.placementHits() + stats.placementMisses(),
          stats.placementHits());
    }
  }

  private static Reading firstCall(PageGroup group) {
    return new Reading(
        new AgentId("bench", "placement", "analyst-" + group.id().value()),
        AnalystLoad.BLUEPRINT.pages(group.id()),
        List.of(group.pages().getFirst()));
  }

  private List<Long> warmTokens(List<PageGroup> groups, PageTableSnapshot table) {
    var resident =
        table.residentTokens(groups.stream().flatMap(group -> group.pages().stream()).toList());
    return nodes.stream().map(node -> resident.getOrDefault(node, 0L)).toList();
  }
}
