package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark of the gateway comes to its end and says what it found. */
class BenchGatewayTest {

  @TempDir private Path state;

  @Test
  void everyWayIsAsked() {
    Finished finished =
        CommandLineRun.of(
            "bench",
            "gateway",
            "--clients",
            "4",
            "--ops",
            "40",
            "--rate",
            "400",
            "--json",
            "--state",
            state.toString());
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("clients").asInt()).isEqualTo(4);
    for (String way : new String[] {"direct", "port", "api"}) {
      assertThat(report.path(way + "P50Millis").asDouble()).as(way).isPositive();
      assertThat(report.path(way + "P99Millis").asDouble()).as(way).isPositive();
      assertThat(report.path(way + "PerSecond").asDouble()).as(way).isPositive();
    }
    assertThat(report.path("apiRatio").asDouble()).isPositive();
    assertThat(state.resolve("bench")).isEmptyDirectory();
  }
}
