package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.Rig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The benchmark of resumptions comes to its end and says what it found. */
class BenchResumeTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void allAgentsGoOn() {
    Finished finished =
        rig.run("bench", "resume", "--agents", "20", "--steps", "5", "--rate", "50", "--json");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("agents").asInt()).isEqualTo(20);
    for (String delay : new String[] {"byWord", "byWordToNextStep", "bySignal", "floor"}) {
      assertThat(report.path(delay).path("p50Millis").asDouble()).as(delay).isPositive();
    }
    assertThat(rig.state().resolve("bench")).isEmptyDirectory();
  }

  @Test
  void aWrongOptionIsRefused() {
    assertThat(rig.run("bench", "resume", "--agents", "0").status()).isEqualTo(2);
  }
}
