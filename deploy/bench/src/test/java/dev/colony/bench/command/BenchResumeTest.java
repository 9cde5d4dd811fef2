package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark of resumptions comes to its end and says what it found. */
class BenchResumeTest {

  @TempDir private Path state;

  @Test
  void allAgentsGoOn() {
    Finished finished =
        CommandLineRun.of(
            "bench",
            "resume",
            "--agents",
            "20",
            "--steps",
            "5",
            "--rate",
            "50",
            "--json",
            "--state",
            state.toString());
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("agents").asInt()).isEqualTo(20);
    for (String delay : new String[] {"byWord", "byWordToNextStep", "bySignal", "floor"}) {
      assertThat(report.path(delay).path("p50Millis").asDouble()).as(delay).isPositive();
    }
    assertThat(state.resolve("bench")).isEmptyDirectory();
  }

  @Test
  void aWrongOptionIsRefused() {
    assertThat(CommandLineRun.of("bench", "resume", "--agents", "0").status()).isEqualTo(2);
  }
}
