package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What bounds a run, and that it does. */
class RunBudgetTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void aBudgetOfTokensEndsTheRunWithWhatItHas() throws Exception {
    Path report = rig.state().resolveSibling("report.html");
    // The scripted server says 100 tokens of prompt and 10 of reply: two calls spend it.
    Finished some = rig.ask("--budget", "200", "--report", report.toString()).await();
    assertThat(some.status()).as(some.err()).isEqualTo(1);
    JsonNode json = some.json();
    assertThat(json.path("unreadReasons").path(0).path("reason").asText())
        .contains("has spent its budget of 200 tokens");
    assertThat(json.path("unreadPages").size()).isBetween(1, 3);
    assertThat(json.path("citations")).isNotEmpty();
    assertThat(json.path("answer").asText()).contains("budget");
    assertThat(Files.readString(report)).contains("has spent its budget of 200 tokens");
    assertThat(rig.model().calls())
        .as("nothing is left for an answer")
        .noneMatch(Call::coordinators);

    Rig.assertOneLine(
        rig.run("run", ".", "--ask", "x", "--budget", "5x"), 2, "a budget is tokens as in 200k");
  }

  @Test
  void aBudgetOfMoneyWithoutPricesIsRefusedBeforeAnythingIsMapped() throws Exception {
    Finished refused = rig.ask("--budget", "1.50usd").await();
    Rig.assertOneLine(
        refused, 2, "no price", "colony.inference.budget.usual-model.prompt", "--config");
    assertThat(refused.err()).doesNotContain("mapping");
    assertThat(rig.model().server().requests()).isEmpty();

    configure("colony.inference.models.mine.url = \"%s\"".formatted(rig.model().uri()));
    Rig.assertOneLine(
        configured("--model", "mine", "--budget", "$2"),
        2,
        "no price",
        "colony.inference.models.mine.budget.prompt");

    configure("colony.inference.budget.usual-model { prompt = 1000, completion = 1000 }");
    // 0.11 a call by what the scripted server says of its tokens.
    JsonNode some = rig.ask("--budget", "0.2usd").await().json();
    assertThat(some.path("unreadReasons").path(0).path("reason").asText())
        .contains("has spent its budget of")
        .contains("0.2");
  }

  /** A run with what was configured, and no URL of a model. */
  private Finished configured(String... more) {
    List<String> line =
        new ArrayList<>(List.of("run", rig.tree().toString(), "--ask", Rig.QUESTION, "--config"));
    line.addAll(List.of(rig.config().toString(), "--policy", "research"));
    line.addAll(List.of(more));
    return rig.run(line.toArray(String[]::new));
  }

  private void configure(String line) throws IOException {
    Files.writeString(rig.config(), line + "\n", StandardOpenOption.APPEND);
  }
}
