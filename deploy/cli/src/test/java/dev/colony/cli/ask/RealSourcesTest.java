package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.RunId;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.cli.ask.AskRecord.AskPolicy;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.Progress;
import dev.colony.cli.terminal.Progress.LineProgress;
import dev.colony.library.research.Evidence;
import dev.colony.server.node.NodeConfig;
import dev.colony.vcm.mapping.MappingResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Questions with known answers about Apache Lucene's core and Apache Pekko. */
class RealSourcesTest {

  private record Known(String question, Set<String> files) {}

  private static final List<Known> QUESTIONS =
      List.of(
          new Known(
              "Where is a segment merge chosen?",
              Set.of("TieredMergePolicy.java", "LogMergePolicy.java", "MergePolicy.java")),
          new Known("Which class computes the BM25 score?", Set.of("BM25Similarity.java")),
          new Known(
              "Which directory reads its files through memory mapping?",
              Set.of("MMapDirectory.java")),
          new Known(
              "Which class decides on which node a shard is placed?",
              Set.of(
                  "ShardCoordinator.scala",
                  "ShardAllocationStrategy.scala",
                  "AbstractLeastShardAllocationStrategy.scala",
                  "LeastShardAllocationStrategy.scala",
                  "ConsistentHashingShardAllocationStrategy.scala",
                  "ExternalShardAllocationStrategy.scala")),
          new Known(
              "How is the suspicion that a node has failed computed from its heartbeats?",
              Set.of("PhiAccrualFailureDetector.scala")),
          new Known(
              "Which strategy keeps the side with the most members when the network is split?",
              Set.of("DowningStrategy.scala", "SplitBrainResolver.scala")));

  private static final int LEAST_RIGHT = 5;

  @TempDir private Path folder;

  @Test
  void theRightFilesAreCited() throws Exception {
    Path tree = Corpora.unpack(folder.resolve("tree"));
    StateDirectory state = StateDirectory.open(folder.resolve("state"));
    Progress progress = new LineProgress();
    MappingResult.Mapped mapped = new Mapper(NodeConfig.base(Optional.empty())).map(tree, progress);
    assertThat(mapped.map().files()).isGreaterThan(1_000);

    List<String> wrong = new ArrayList<>();
    try (Cluster cluster =
        new ClusterLauncher(state, Optional.empty(), progress::note)
            .startForCommand(1, Optional.empty(), "test")) {
      for (int i = 0; i < QUESTIONS.size(); i++) {
        Known known = QUESTIONS.get(i);
        Asking asking = new Asking(cluster, progress);
        AskRecord asked =
            asking.submit(
                new RunId("r-" + i),
                known.question(),
                asking.stored(tree.toString(), new Mapper.Again(mapped, Optional.empty())),
                new AskRecord.StartedWith("", "", 1, Optional.empty(), "", true),
                AskPolicy.RESEARCH,
                Optional.empty());
        AskReport report = asking.follow(asked, Stopwatch.start());
        System.out.println(known.question() + "\n" + report.toText());
        for (Evidence cited : report.answer().citations()) {
          List<String> lines = Files.readAllLines(tree.resolve(cited.file()));
          assertThat(cited.text())
              .isEqualTo(String.join("\n", lines.subList(cited.firstLine() - 1, cited.lastLine())));
        }
        if (report.answer().citations().stream().noneMatch(cited -> names(cited, known))) {
          wrong.add(known.question());
        }
      }
    }
    assertThat(QUESTIONS.size() - wrong.size())
        .as("right of %d; wrong: %s", QUESTIONS.size(), wrong)
        .isGreaterThanOrEqualTo(LEAST_RIGHT);
  }

  private static boolean names(Evidence cited, Known known) {
    return known.files().contains(Path.of(cited.file()).getFileName().toString());
  }
}
