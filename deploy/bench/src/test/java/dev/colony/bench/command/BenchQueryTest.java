package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark of queries comes to its end and says what it found. */
class BenchQueryTest {

  @TempDir private Path folder;

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void afterTheFirstRoundsFewerPagesAreAskedThanByABroadcast() throws IOException {
    int parts = 60;
    for (int part = 0; part < parts; part++) {
      StringBuilder text = new StringBuilder("class Part%d {\n".formatted(part));
      for (int name = 0; name < 4; name++) {
        text.append("  void joinPart%dStep%d() {}\n".formatted(part, name));
        text.append("  void joinPart%dStep%d() {}\n".formatted((part + 7) % parts, name));
      }
      text.append("  // as it was written for this test only\n".repeat(6)).append("}\n");
      Path file = folder.resolve("part%d/Part%d.java".formatted(part, part));
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    }
    Finished finished =
        rig.run(
            "bench",
            "query",
            folder.toString(),
            "--page-tokens",
            "256",
            "--rounds",
            "3",
            "--questions",
            "80",
            "--kept",
            "40",
            "--reading",
            "--json");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    JsonNode last = report.path("rounds").path(2).path("both");
    assertThat(report.path("pages").asInt()).isGreaterThanOrEqualTo(parts / 2);
    assertThat(last.path("calls").asDouble()).isLessThan(report.path("pages").asInt() - 1.0);
    assertThat(last.path("found").asDouble()).isGreaterThan(0.9);
    JsonNode orders = report.path("orders");
    assertThat(orders.properties())
        .hasSize(6)
        .allSatisfy(order ->
            assertThat(order.getValue().asDouble())
                .as(order.getKey())
                .isBetween(0.0, orders.path("most").asDouble()));
    assertThat(report.path("ahead"))
        .hasSize(16)
        .allSatisfy(one -> {
          assertThat(one.path("used").asInt()).isLessThanOrEqualTo(one.path("loaded").asInt());
          assertThat(one.path("choice").asText().equals("nothing"))
              .isEqualTo(one.path("loaded").asInt() == 0);
        });
  }

  @Test
  void aTreeWithoutNamesIsRefused() throws IOException {
    Files.writeString(folder.resolve("a.txt"), "nothing to ask for\n");
    Rig.assertOneLine(CommandLineRun.of("bench", "query", folder.toString()), 2, "too few names");
  }
}
