package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.bench.engine.EngineReport;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The replay of recorded requests comes to its end and says how far the engine is off. */
class BenchEngineTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void theEngineAgreesWithWhatWasRecorded() throws Exception {
    Finished finished =
        rig.run(
            "bench",
            "engine",
            resource("agents.jsonl.gz"),
            "--decisions",
            resource("agents-held-back-120.jsonl.gz"),
            "--replicas",
            "2",
            "--blocks",
            "120",
            "--json");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("requests").asInt()).isEqualTo(218);
    assertThat(report.path("preemptions").asInt()).isZero();
    assertThat(Math.abs(report.path("hitsApart").asDouble(1))).isLessThan(0.01);
    assertThat(Math.abs(report.path("meanFirstTokenApart").asDouble(1))).isLessThan(0.10);
    assertThat(report.at("/recorded/hits").asDouble()).isGreaterThan(0.7);
  }

  @Test
  void decisionsForReplicasThatThereAreNotAreRefused() throws Exception {
    Rig.assertOneLine(
        CommandLineRun.of(
            "bench",
            "engine",
            resource("agents.jsonl.gz"),
            "--decisions",
            resource("agents-held-back-120.jsonl.gz"),
            "--replicas",
            "1"),
        2,
        "names replica 1, but there are 1");
    Rig.assertOneLine(
        CommandLineRun.of("bench", "engine", "nowhere", "--decisions", "nowhere"),
        2,
        "cannot be read: nowhere");
  }

  private static String resource(String name) throws Exception {
    return Path.of(EngineReport.class.getResource(name).toURI()).toString();
  }
}
