package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.bench.SmallTree;
import dev.colony.cli.ColonyProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a person types it, its nodes in JVMs of their own. */
@Tag("faults")
class BenchPlacementTest {

  @TempDir private Path folder;

  @Test
  void affinityBesideRandomAndNothingLeftBehind() throws Exception {
    Path tree = SmallTree.write(folder.resolve("tree"), 60);
    Path config =
        Files.writeString(
            folder.resolve("small.conf"),
            "colony.vcm.grouping { page-size-tokens = 256, pages-per-group = 1 }");
    ColonyProcess.Finished done =
        ColonyProcess.run(
            folder.resolve("state"),
            "bench",
            "placement",
            tree.toString(),
            "--config",
            config.toString(),
            "--json");

    assertThat(done.status()).as(done.err()).isZero();
    JsonNode affinity = done.json().path("policies").path(0);
    JsonNode random = done.json().path("policies").path(1);
    assertThat(affinity.path("policy").asText()).isEqualTo("affinity");
    assertThat(affinity.path("firstCalls").asInt()).isGreaterThanOrEqualTo(60);
    assertThat(affinity.path("share").asDouble()).isGreaterThanOrEqualTo(0.9);
    assertThat(random.path("policy").asText()).isEqualTo("random");
    assertThat(random.path("share").asDouble()).isLessThan(0.6);
    assertThat(folder.resolve("state").resolve("bench")).isEmptyDirectory();
  }
}
