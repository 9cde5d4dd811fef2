package dev.colony.examples.impact;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.terminal.Progress.LineProgress;
import dev.colony.library.page.SourceTrees;
import dev.colony.library.page.SourceTrees.SourceToolSettings;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.VirtualTime;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A tree that is mapped for the agent. */
public final class MappedTree {

  private final Config config = ConfigFactory.load();
  private final VirtualTime time = new VirtualTime();
  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(BlackboardSettings.DEFAULTS, time);
  private final StoreSettings stored = StoreSettings.fromConfig(config);
  private final PageStore pages = new BlackboardPageStore(boards, "test", "test", stored);
  private final String map;

  private MappedTree(MappingResult.Mapped mapped) {
    map = mapped.map().id();
    pages.save(mapped.map(), mapped.pages());
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

  /** The agent, which dies where the point says. */
  public TestAgent agent(FakeModel model, KillPoint kill) {
    return TestAgent.of(ImpactAnalysis.blueprint())
        .service(PageStore.class, pages)
        .service(
            SourceTrees.class,
            new SourceTrees(Settings.read(SourceToolSettings.class, ConfigFactory.load())))
        .time(time)
        .model(model)
        .killed(kill)
        .start();
  }
}
