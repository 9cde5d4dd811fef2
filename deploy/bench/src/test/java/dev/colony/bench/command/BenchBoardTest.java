package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark counts what it says it counts, and leaves nothing behind. */
class BenchBoardTest {

  @TempDir private Path folder;

  @Test
  void aSmallLoadIsCountedWhole() {
    JsonNode report =
        done(
                "--clients",
                "4",
                "--ops",
                "300",
                "--value",
                "64",
                "--keys",
                "10",
                "--scopes",
                "2",
                "--fsync",
                "no",
                "--json")
            .json();
    assertLoad(report, "no", 300);
    assertRedis(report);
    assertThat(report.path("rounds")).hasSize(4);
    assertThat(report.path("clients").asInt()).isEqualTo(4);
    assertThat(report.path("valueBytes").asInt()).isEqualTo(64);
    assertThat(report.path("entries").asInt()).as("2 scopes, 10 keys, 2 phases").isEqualTo(40);
  }

  @Test
  void aTableForPeopleBesideAnEarlierRun() throws IOException {
    Path earlier = folder.resolve("earlier.json");
    Files.writeString(
        earlier,
        """
        {"command": "bench board --ops 9", "loadAverage": [0.5, 1.5],
         "rounds": [{"writesPerSecond": 1}, {"writesPerSecond": 2}]}
        """);
    Finished done =
        done(
            "--clients",
            "2",
            "--ops",
            "50",
            "--fsync",
            "everysec",
            "--compare",
            earlier.toString());
    assertThat(done.out().lines())
        .anyMatch(line -> line.matches("  load average +0.50, 1.50"))
        .anyMatch(line -> line.matches("  writes per second +[\\d,.]+.* 1.50 .*\\+\\d+ %.*"))
        .anyMatch(line -> line.matches("clients +2"))
        .anyMatch(line -> line.matches("fsync +everysec"))
        .anyMatch(line -> line.matches("  writes per second +[\\d,.]+"))
        .anyMatch(line -> line.matches("ratio +[\\d.]+"))
        .anyMatch(line -> line.matches("written +100"))
        .anyMatch(line -> line.matches("events lost +0"));
  }

  @Test
  void allFigures() {
    JsonNode report = done("--figures", "--ops", "100", "--clients", "4", "--json").json();
    assertThat(report.path("loads")).hasSize(3);
    assertRedis(report);
    assertLoad(report.path("loads").path(0), "always", 100);
    assertLoad(report.path("loads").path(1), "everysec", 100);
    assertLoad(report.path("loads").path(2), "no", 100);
    assertThat(report.path("whole").asBoolean()).isTrue();
  }

  @Test
  void whatIsOutOfRange() {
    refused("--clients is 0", "--clients", "0");
    refused("--ops is 0", "--ops", "0");
    refused("--value is 5", "--value", "5");
    refused("--keys is 0", "--keys", "0");
    refused("--scopes is 0", "--scopes", "0");
    refused("2 GiB", "--ops", "5000000", "--keys", "1000000", "--value", "1048576");
    refused("--fsync", "--fsync", "sometimes");
  }

  private static void assertRedis(JsonNode report) {
    assertThat(report.path("machine").path("redis").asText()).matches("\\d+\\.\\d+\\.\\d+");
  }

  private static void assertLoad(JsonNode report, String fsync, int ops) {
    assertThat(report.path("fsync").asText()).isEqualTo(fsync);
    assertThat(report.path("ops").asInt()).isEqualTo(ops);
    for (String phase : List.of("full", "half")) {
      JsonNode figures = report.path(phase);
      assertThat(figures.path("writesPerSecond").asDouble()).as(phase).isPositive();
      assertThat(figures.path("eventP50Millis").asDouble()).as(phase).isPositive();
      assertThat(figures.path("eventP99Millis").asDouble())
          .as(phase)
          .isGreaterThanOrEqualTo(figures.path("eventP50Millis").asDouble());
      assertThat(figures.has("fellBehind")).isTrue();
    }
    assertThat(report.path("ceiling").path("writesPerSecond").asDouble()).isPositive();
    assertThat(report.path("ceiling").path("by").asText()).isNotEmpty();
    assertThat(report.path("ratio").asDouble()).isPositive();
    assertThat(report.path("written").asLong()).isEqualTo(2L * ops);
    assertThat(report.path("received").asLong()).isEqualTo(2L * ops);
    assertThat(report.path("versions").asLong()).isEqualTo(2L * ops);
    assertThat(report.path("eventsLost").asLong(-1)).isZero();
    assertThat(report.path("eventsDoubled").asLong(-1)).isZero();
    assertThat(report.path("whole").asBoolean()).isTrue();
  }

  private Finished done(String... options) {
    Finished finished = CommandLineRun.of(line(options));
    assertThat(finished.status()).as(finished.err()).isZero();
    assertThat(folder.resolve("state").resolve("bench")).isEmptyDirectory();
    return finished;
  }

  private void refused(String part, String... options) {
    Rig.assertOneLine(CommandLineRun.of(line(options)), 2, part);
  }

  private String[] line(String... options) {
    String[] begin = {"bench", "board", "--state", folder.resolve("state").toString()};
    return with(begin, options);
  }

  private static String[] with(String[] begin, String... more) {
    List<String> line = new ArrayList<>(List.of(begin));
    line.addAll(List.of(more));
    return line.toArray(String[]::new);
  }
}
