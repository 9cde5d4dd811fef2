package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.terminal.Progress;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.NodeConfig;
import dev.colony.vcm.grouping.MappingResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** New agents on three nodes of this process, whose replicas were warmed unevenly. */
class PlacementRoundTest {

  private static final int NODES = 3;
  private static final int FILES = 48;

  @TempDir private Path folder;

  @Test
  void byAffinityAgentsStartWhereTheirPagesAre() throws IOException {
    PlacementReport.Round round = round("affinity");

    assertThat(round.firstCalls()).isGreaterThanOrEqualTo(FILES);
    assertThat(round.warmPercent().getFirst()).isGreaterThan(50);
    assertThat(round.share()).isGreaterThanOrEqualTo(0.9);
  }

  @Test
  void atRandomMostDoNot() throws IOException {
    PlacementReport.Round round = round("random");

    assertThat(round.firstCalls()).isGreaterThanOrEqualTo(FILES);
    assertThat(round.share()).isLessThan(0.6);
  }

  private PlacementReport.Round round(String policy) throws IOException {
    Config config =
        ConfigFactory.parseString(
                """
                colony.vcm.placement.policy = %s
                colony.vcm.grouping { page-size-tokens = 256, pages-per-group = 1 }
                """
                        .formatted(policy)
                    + EarlierRun.AT_OWN_REPLICAS)
            .withFallback(NodeConfig.base(Optional.empty()));
    Path tree = SmallTree.write(folder.resolve("tree"), FILES);
    MappingResult.Mapped mapped = new Mapper(config).map(tree, Progress.onStandardError());
    try (LocalNodes nodes = new LocalNodes(NODES, folder, config)) {
      nodes.pages().save(mapped.map(), mapped.pages()).toCompletableFuture().join();
      return new PlacementRound(nodes.blackboards(), nodes.config(), nodes.addresses())
          .run(mapped.map().groups());
    }
  }
}
