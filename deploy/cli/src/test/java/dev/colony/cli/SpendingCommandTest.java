package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.inference.Usage;
import dev.colony.server.http.ApiRig;
import dev.colony.server.http.HttpApi;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tenants and sessions have spent, on the command line. */
class SpendingCommandTest {

  @TempDir private Path state;

  private static ApiRig rig;
  private static HttpApi api;

  @BeforeAll
  static void start() {
    rig =
        new ApiRig(
            """
            colony.inference.budget {
              period = total
              tenants.acme { tokens = 10000, cost = "2.5" }
            }
            """);
    api = rig.start();
    rig.spend("acme", "audit-7", new Usage(1_200, 200, 34), new BigDecimal("0.50"));
    rig.spend("acme", "other", new Usage(100, 0, 0), new BigDecimal("0"));
  }

  @AfterAll
  static void end() {
    api.close();
    rig.close();
  }

  private Finished spending(String... arguments) {
    List<String> line = new ArrayList<>(List.of("spending"));
    line.addAll(List.of(arguments));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  @Test
  void aTenantsAndASessionsSumsAndLimitsArePrinted() {
    Finished said = spending("acme", "--session", "audit-7", "--url", api.uri().toString());
    assertThat(said.status()).as(said.err()).isZero();
    assertThat(said.out())
        .isEqualTo(
            """
            tenant acme in total: 1,334 tokens (prompt 1,300, of these cached 200, completion 34) in 2 completions, cost 0.5
              limit 10,000 tokens, 8,666 remain
              limit a cost of 2.5, 2 remains
            session audit-7: 1,234 tokens (prompt 1,200, of these cached 200, completion 34) in 1 completion, cost 0.5
              no limit
            """);
  }

  @Test
  void programsGetWhatTheApiSays() {
    var json =
        spending("acme", "--session", "audit-7", "--json", "--url", api.uri().toString()).json();
    assertThat(json.path("inPeriod").path("remaining").path("tokens").asLong()).isEqualTo(8_666);
    assertThat(json.path("session").path("spent").path("cost").asText()).isEqualTo("0.5");
    assertThat(json.has("endsAt")).isFalse();
  }

  @Test
  void whereNothingIsSpentOneLineSaysSo() {
    assertThat(spending("idle", "--url", api.uri().toString()).out())
        .isEqualTo("tenant idle in total: nothing is spent\n  no limit\n");
  }

  @Test
  void whatCannotBeAskedIsRefusedInOneLine() {
    Finished down = spending("acme", "--state", state.toString());
    assertThat(down.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(down.err()).contains("no node that serves the HTTP API is up").hasLineCount(1);
    Finished silent = spending("acme", "--url", "http://127.0.0.1:1");
    assertThat(silent.status()).isEqualTo(ExitCode.UNSUCCESSFUL.status());
    assertThat(silent.err()).contains("no answer from http://127.0.0.1:1").hasLineCount(1);
    Finished wrong = spending("a/b", "--url", api.uri().toString());
    assertThat(wrong.status()).as(wrong.err()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(wrong.err()).hasLineCount(1);
  }
}
