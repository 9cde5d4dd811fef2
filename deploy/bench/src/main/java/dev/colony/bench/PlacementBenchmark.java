package dev.colony.bench;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.settings.PlacementSettings;
import dev.colony.vcm.table.NodeAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Placement by residency beside placement at random: for each policy a cluster of its own, nodes in
 * JVMs of their own, whose replicas an earlier run has warmed unevenly; then new agents, one for
 * each group of pages, and at how many of their first calls the pages were in their own node's
 * replica. It ends what it started.
 */
public final class PlacementBenchmark {

  /** Small pages and groups, so that an ordinary tree has enough of them to count. */
  private static final String GROUPING =
      "colony.vcm.grouping { page-size-tokens = 2048, pages-per-group = 2 }\n";

  /** Of a replica's cache; the rest is for what calls carry beside their pages. */
  private static final double USED_CAPACITY = 0.5;

  private static final int LEAST_GROUPS_PER_NODE = 4;

  private final Path directory;
  private final Optional<Path> configFile;
  private final Progress progress;

  /**
   * @param directory for the clusters' states, not used before; left for the caller to delete
   * @param configFile overrides the defaults, but not the policy
   */
  public PlacementBenchmark(Path directory, Optional<Path> configFile, Progress progress) {
    this.directory = directory;
    this.configFile = configFile;
    this.progress = progress;
  }

  /**
   * Blocks until both policies are measured.
   *
   * @param tree is mapped, and its first groups are read
   * @throws CommandFailure if the tree is too small, or something does not start
   */
  public PlacementReport run(Path tree, int nodes, int mostGroups) {
    List<PlacementReport.Round> rounds = new ArrayList<>();
    Optional<MappingResult.Mapped> mapped = Optional.empty();
    for (PlacementSettings.Policy policy : PlacementSettings.Policy.values()) {
      Path file = configuration(policy);
      Config config = CommandConfig.base(Optional.of(file));
      if (mapped.isEmpty()) {
        mapped =
            Optional.of(part(new Mapper(config).map(tree, progress), config, nodes, mostGroups));
      }
      rounds.add(measure(word(policy), file, config, mapped.get(), nodes));
    }
    PageMap map = mapped.orElseThrow().map();
    return new PlacementReport(
        nodes, map.groups().size(), map.pages(), map.sizeTokens(), List.copyOf(rounds));
  }

  private PlacementReport.Round measure(
      String policy, Path file, Config config, MappingResult.Mapped mapped, int nodes) {
    StateDirectory state = StateDirectory.open(directory.resolve(policy));
    AtomicBoolean measuring = new AtomicBoolean(true);
    ClusterLauncher launcher =
        new ClusterLauncher(
            state,
            Optional.of(file),
            line -> {
              // That the nodes end when the round is over is no news.
              if (measuring.get()) {
                progress.note(line);
              }
            });
    try (Cluster cluster = launcher.startForCommand(nodes, Optional.empty(), "colony bench")) {
      PlacementReport.Round round =
          interruptibly(cluster, () -> round(policy, cluster, config, mapped));
      measuring.set(false);
      return round;
    }
  }

  private PlacementReport.Round round(
      String policy, Cluster cluster, Config config, MappingResult.Mapped mapped) {
    cluster.pages().save(mapped.map(), mapped.pages()).toCompletableFuture().join();
    List<NodeAddress> addresses =
        cluster.children().stream()
            .map(child -> new NodeAddress(child.options().address()))
            .toList();
    PlacementReport.Round round =
        new PlacementRound(cluster.blackboards(), config, addresses).run(mapped.map().groups());
    progress.done(policy, round.hits() + " of " + round.firstCalls() + " first calls hit");
    return round;
  }

  /** A command that is interrupted ends its nodes too. */
  private static <T> T interruptibly(Cluster cluster, Supplier<T> work) {
    Thread hook = new Thread(cluster::close, "interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return work.get();
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException shuttingDown) {
        // the hook runs already and does its work
      }
    }
  }

  private Path configuration(PlacementSettings.Policy policy) {
    StringBuilder text = new StringBuilder(GROUPING);
    configFile.ifPresent(file ->
        text.append("include required(file(")
            .append(ConfigUtil.quoteString(file.toAbsolutePath().toString()))
            .append("))\n"));
    text.append(EarlierRun.AT_OWN_REPLICAS);
    text.append("colony.vcm.placement.policy = ").append(word(policy)).append('\n');
    try {
      Files.createDirectories(directory);
      return Files.writeString(directory.resolve(word(policy) + ".conf"), text);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot write to " + directory, failure);
    }
  }

  /** The first groups, as many as are asked for and as the fullest replica keeps. */
  private static MappingResult.Mapped part(
      MappingResult.Mapped whole, Config config, int nodes, int mostGroups) {
    EmbeddedReplicaSettings replica = EmbeddedReplicaSettings.fromConfig(config);
    double imbalance = PlacementSettings.fromConfig(config).imbalance();
    double capacity = USED_CAPACITY * replica.blockTokens() * replica.capacityBlocks();
    double most = capacity / new Skew(nodes, imbalance).largest();
    List<PageGroup> groups = new ArrayList<>();
    long tokens = 0;
    for (PageGroup group : whole.map().groups()) {
      tokens += group.sizeTokens();
      if (groups.size() == mostGroups || tokens > most) {
        break;
      }
      groups.add(group);
    }
    if (groups.size() < LEAST_GROUPS_PER_NODE * nodes) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "%d groups of pages are too few for %d nodes: name a larger tree, or give a smaller %s"
              .formatted(groups.size(), nodes, "colony.vcm.grouping.page-size-tokens"));
    }
    Set<PageId> kept = new HashSet<>();
    groups.forEach(group -> kept.addAll(group.pages()));
    List<VirtualContextPage> pages =
        whole.pages().stream().filter(page -> kept.contains(page.id())).toList();
    PageMap map = whole.map();
    return new MappingResult.Mapped(
        new PageMap(map.id(), map.source(), groups, map.files()),
        pages,
        whole.skipped(),
        whole.reference(),
        whole.sizeBytes());
  }

  private static String word(PlacementSettings.Policy policy) {
    return policy.name().toLowerCase(Locale.ROOT);
  }
}
