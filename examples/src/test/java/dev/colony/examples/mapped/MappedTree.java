package dev.colony.examples.mapped;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.terminal.LineProgress;
import dev.colony.library.page.PageGraphs;
import dev.colony.library.source.SourceToolSettings;
import dev.colony.library.source.SourceTrees;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.VirtualTime;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.QuerySettings;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.PageGraphStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A tree that is mapped for agents of the examples' blueprints. */
public final class MappedTree {

  private final Config config = ConfigFactory.load();
  private final VirtualTime time = new VirtualTime();
  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(BlackboardSettings.DEFAULTS, time);
  private final StoreSettings stored = StoreSettings.fromConfig(config);
  private final PageStore pages = new BlackboardPageStore(boards, "test", "test", stored);
  private final PageGraphStore graphs =
      new PageGraphStore(
          boards.open(PageGraphStore.scope("test"), "test"),
          GraphSettings.fromConfig(config),
          stored);
  private final String map;

  private MappedTree(MappingResult.Mapped mapped) {
    map = mapped.map().id();
    pages.save(mapped.map(), mapped.pages()).toCompletableFuture().join();
    PageGraph graph = new PageGraph(GraphSettings.fromConfig(config));
    graph.layOut(mapped.pages(), 1, time.instant());
    graphs.save(map, graph).toCompletableFuture().join();
  }

  /** Writes the files and maps them, the pages of this size at most. */
  public static MappedTree of(Path directory, int pageTokens, Map<String, String> files)
      throws IOException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = directory.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    Config config =
        ConfigFactory.parseString("colony.vcm.grouping.page-size-tokens = %d".formatted(pageTokens))
            .withFallback(ConfigFactory.load());
    try (LineProgress progress = new LineProgress()) {
      return new MappedTree(new Mapper(config).map(directory, progress));
    }
  }

  public String map() {
    return map;
  }

  /** An agent of a blueprint file of the examples, that dies where the point says. */
  public TestAgent agent(String blueprint, FakeModel model, KillPoint kill) {
    return TestAgent.of(BlueprintFiles.named(blueprint))
        .service(PageStore.class, pages)
        .service(SourceTrees.class, new SourceTrees(SourceToolSettings.DEFAULTS))
        .service(PageGraphs.class, new PageGraphs(graphs, QuerySettings.fromConfig(config), time))
        .time(time)
        .model(model)
        .killed(kill)
        .start();
  }
}
