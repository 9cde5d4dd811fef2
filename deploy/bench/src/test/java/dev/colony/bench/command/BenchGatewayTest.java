package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.Rig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The benchmark of the gateway comes to its end and says what it found. */
class BenchGatewayTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void everyWayIsAsked() {
    Finished finished =
        rig.run("bench", "gateway", "--clients", "4", "--ops", "40", "--rate", "400", "--json");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("clients").asInt()).isEqualTo(4);
    for (String way : new String[] {"direct", "port", "api"}) {
      assertThat(report.path(way + "P50Millis").asDouble()).as(way).isPositive();
      assertThat(report.path(way + "P99Millis").asDouble()).as(way).isPositive();
      assertThat(report.path(way + "PerSecond").asDouble()).as(way).isPositive();
    }
    assertThat(report.path("apiRatio").asDouble()).isPositive();
    assertThat(rig.state().resolve("bench")).isEmptyDirectory();
  }
}
