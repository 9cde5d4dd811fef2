package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.bench.SmallTree;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark of waiting brings a cluster up, asks, and leaves nothing. */
class BenchLatencyTest {

  @TempDir private Path folder;

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  @Tag("faults")
  void eachStageOfEachQuestionIsTimed() throws Exception {
    Path tree = SmallTree.write(Files.createDirectory(folder.resolve("tree")), 5);
    Finished finished =
        rig.run(
            "bench",
            "latency",
            tree.toString(),
            "--ask",
            "Which class computes part 2?",
            "--ask",
            "Where is part 3 computed?",
            "--json");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode questions = finished.json().path("questions");
    assertThat(questions).hasSize(2);
    for (JsonNode one : questions) {
      assertThat(one.path("runningMillis").asLong()).isPositive();
      assertThat(one.path("mappedMillis").asLong())
          .isBetween(one.path("runningMillis").asLong(), one.path("answerMillis").asLong());
      assertThat(one.path("firstTokenMillis").asLong())
          .isBetween(one.path("mappedMillis").asLong(), one.path("answerMillis").asLong());
      assertThat(one.path("endedMillis").asLong())
          .isGreaterThanOrEqualTo(one.path("answerMillis").asLong());
      assertThat(one.path("mapping").asText()).startsWith("5 files, ");
    }
    assertThat(rig.state().resolve("bench")).isEmptyDirectory();
  }
}
