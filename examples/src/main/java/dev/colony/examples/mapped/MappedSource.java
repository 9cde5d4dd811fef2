package dev.colony.examples.mapped;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.terminal.Progress;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.PageGraphStore;
import java.nio.file.Path;

/** Maps a source tree for the agents of a cluster. */
public final class MappedSource {

  /** Whose pages the nodes of a local cluster read. */
  private static final String TENANT = Node.PAGES_TENANT;

  private MappedSource() {}

  /**
   * Maps a directory, and stores its pages and the graph of which lead to which. Blocks.
   *
   * @throws CommandFailure if it cannot be mapped, with the reason
   */
  public static PageMap of(Path directory, Cluster cluster, Progress progress) {
    Config config = ConfigFactory.load();
    MappingResult.Mapped mapped =
        new Mapper(config).map(directory.toAbsolutePath().normalize(), progress);
    return Mapper.unchanged(
        mapped,
        () -> {
          cluster.pages().save(mapped.map(), mapped.pages()).toCompletableFuture().join();
          PageGraph graph = new PageGraph(GraphSettings.fromConfig(config));
          graph.layOut(
              mapped.pages(),
              SourceSettings.fromConfig(config).threads(),
              cluster.blackboards().clock().instant());
          new PageGraphStore(
                  cluster.blackboards().open(PageGraphStore.scope(TENANT), "examples"),
                  GraphSettings.fromConfig(config),
                  StoreSettings.fromConfig(config))
              .save(mapped.map().id(), graph)
              .toCompletableFuture()
              .join();
          return mapped.map();
        });
  }
}
