package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a person types it. How fast it is, is for people to read. */
class BenchFailoverTest {

  @TempDir private Path state;

  @Test
  @Tag("faults")
  void agentsComeBackAndNoRequestFails() {
    Finished done = measured();

    assertThat(done.status()).as(done.err()).isZero();
    JsonNode report = done.json();
    for (String how : new String[] {"killed", "terminated"}) {
      assertThat(report.path(how).path("rounds")).hasSize(1);
      assertThat(report.path(how).path("rounds").get(0).path("agents").asInt()).isPositive();
      assertThat(report.path(how).path("medianMillis").asDouble()).isPositive();
    }
    JsonNode rolling = report.path("rollingRestart");
    assertThat(rolling.path("requests").asInt()).isPositive();
    assertThat(rolling.path("failed").asInt()).isZero();
    assertThat(state.resolve("bench")).isEmptyDirectory();
  }

  /** Five nodes are started one after the other, which takes its time on a busy machine. */
  private Finished measured() {
    String[] line = {"bench", "failover", "--rounds", "1", "--agents", "9", "--json"};
    try (ColonyProcess bench = ColonyProcess.start(state, Map.of(), line)) {
      bench.handle().onExit().orTimeout(10, TimeUnit.MINUTES).join();
      return bench.await();
    }
  }

  @Test
  void tooManyRoundsAreRefused() {
    Rig.assertOneLine(
        CommandLineRun.of("bench", "failover", "--rounds", "1000"),
        2,
        "--rounds is 1000, but must be 1 to 100");
  }
}
