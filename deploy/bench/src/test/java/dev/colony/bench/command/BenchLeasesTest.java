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
class BenchLeasesTest {

  @TempDir private Path state;

  @Test
  @Tag("faults")
  void theSameAgentsHaveTheSameTurnsWithLeasesAndInTurn() {
    Finished done = measured();

    assertThat(done.status()).as(done.err()).isZero();
    JsonNode leases = done.json().path("rounds").path(0);
    JsonNode inTurn = done.json().path("rounds").path(1);
    assertThat(leases.path("mode").asText()).isEqualTo("leases");
    assertThat(inTurn.path("mode").asText()).isEqualTo("in_turn");
    assertThat(leases.path("granted").asInt()).isGreaterThanOrEqualTo(18);
    assertThat(inTurn.path("granted").asInt()).isZero();
    assertThat(leases.path("promptTokens").asLong())
        .isGreaterThan(18 * 3 * 480)
        .isEqualTo(inTurn.path("promptTokens").asLong());
    assertThat(leases.path("warmTurns").asDouble())
        .isGreaterThan(inTurn.path("warmTurns").asDouble());
    assertThat(state.resolve("bench")).isEmptyDirectory();
  }

  private Finished measured() {
    String[] line = {
      "bench",
      "leases",
      "--agents",
      "18",
      "--turns",
      "3",
      "--tokens",
      "480",
      "--pause",
      "500",
      "--overcommit",
      "2",
      "--modes",
      "leases,in_turn",
      "--json"
    };
    try (ColonyProcess bench = ColonyProcess.start(state, Map.of(), line)) {
      bench.handle().onExit().orTimeout(10, TimeUnit.MINUTES).join();
      return bench.await();
    }
  }

  @Test
  void aLoadThatCannotBeIsRefused() {
    Rig.assertOneLine(
        CommandLineRun.of("bench", "leases", "--turns", "1"),
        2,
        "--turns is 1, but must be 2 to 100");
    Rig.assertOneLine(
        CommandLineRun.of("bench", "leases", "--agents", "9", "--overcommit", "3"),
        2,
        "--overcommit is 3.0, but must be 0.1 to a ninth of --agents");
  }
}
