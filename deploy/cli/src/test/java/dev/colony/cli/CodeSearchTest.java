package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code colony run} does where no model answers. */
class CodeSearchTest {

  @TempDir private Path folder;
  private Path tree;

  @BeforeEach
  void plant() throws Exception {
    tree = Files.createDirectory(folder.resolve("tree"));
    Files.writeString(
        tree.resolve("Gate.java"),
        "/** Lets visitors with a ticket through. */\nfinal class Gate {\n\n  int most = 40;\n}\n");
    Files.writeString(tree.resolve("odd.txt"), "A \u001b[31mturnstile\u001b[0m\twith a bell.\n");
  }

  private Finished run(String... more) {
    List<String> line = new ArrayList<>(List.of("run", "--state", state().toString()));
    line.addAll(List.of(more));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  private Path state() {
    return folder.resolve("state");
  }

  private Finished ask(String question, String... more) {
    return run(Rig.with(List.of(tree.toString(), "--ask", question), List.of(more)));
  }

  @Test
  void aSearchSaysThatItIsOneAndStartsNothing() {
    Finished found = ask("Where do visitors show their ticket?");

    assertThat(found.status()).as(found.err()).isZero();
    assertThat(found.err())
        .isEqualToIgnoringNewLines(
            "No model server is given: this is a code search, not an answer. See README, \"With a"
                + " model\".");
    assertThat(found.out())
        .startsWith(
            """
            "show" occurs nowhere in these files.

            1  Gate.java:2   Gate
                   1 | /** Lets visitors with a ticket through. */
                   2 | final class Gate {
                 matched: visitors, ticket
            2 files searched in\
            """);
    assertThat(state().resolve("redis")).isEmptyDirectory();
    assertThat(state().resolve("nodes")).isEmptyDirectory();
  }

  @Test
  void whoWantsNoModelSearchesThoughOneIsConfigured() throws Exception {
    Path settings =
        Files.writeString(
            folder.resolve("own.conf"), "colony.node.model-url = \"http://127.0.0.1:1/v1\"\n");

    Finished found = ask("visitors ticket", "--config", settings.toString(), "--model-url", "none");

    assertThat(found.status()).as(found.err()).isZero();
    assertThat(found.out()).contains("1  Gate.java:2   Gate");
  }

  @Test
  void whatIsFoundNowhereIsSaidAndIsNoSuccess() {
    Finished none = ask("MongoDB");

    assertThat(none.status()).isEqualTo(1);
    assertThat(none.out()).startsWith("\"MongoDB\" occurs nowhere in these files.");
  }

  @Test
  void controlCharactersOfASourceDoNotReachTheTerminal() {
    assertThat(ask("turnstile bell").out())
        .contains("A \\u001b[31mturnstile\\u001b[0m    with a bell.")
        .doesNotContain("\u001b");
  }

  @Test
  void forProgramsItIsOneObject() {
    JsonNode json = ask("Where do visitors show their ticket?", "--json", "--hits", "1").json();

    assertThat(json.path("kind").asText()).isEqualTo("search");
    assertThat(json.path("answer").isNull()).isTrue();
    assertThat(json.path("absent")).hasSize(1);
    assertThat(json.path("stats").path("files").asInt()).isEqualTo(2);
    JsonNode hit = json.path("hits").path(0);
    assertThat(hit.path("file").asText()).isEqualTo("Gate.java");
    assertThat(hit.path("symbol").asText()).isEqualTo("Gate");
    assertThat(hit.path("lines").path(0).path("number").asInt()).isEqualTo(1);
    assertThat(hit.path("lines").path(0).path("highlights").path(0).path("start").asInt())
        .isEqualTo(9);
    assertThat(json.path("citations").path(0).path("text").asText())
        .isEqualTo("/** Lets visitors with a ticket through. */\nfinal class Gate {");
  }

  @Test
  void whatNeedsARunIsRefusedOnOneLine() {
    String hit = "--hits is ";
    Rig.assertOneLine(ask("x", "--hits", "0"), 2, hit + "0, but must be 1 to 100");
    Rig.assertOneLine(ask("x", "--hits", "3", "--survey"), 2, hit + "for a search");
    Rig.assertOneLine(
        run("--follow", "r-1", "--ask", "And then?"), 2, "--follow needs a model", "--survey");
    Rig.assertOneLine(run("a".repeat(26), "--ask", "x"), 2, "is kept by a cluster", "--survey");
  }
}
