package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The benchmark of answers comes to its end and counts what is right. */
class BenchAnswersTest {

  private static final Map<String, String> GARDEN =
      Map.of(
          "garden/WateringPolicy.java",
          """
          package garden;

          /** Decides when the flower beds are watered. */
          interface WateringPolicy {

            boolean isDue(Bed bed);
          }
          """,
          "garden/Turnstile.java",
          """
          package garden;

          /** Lets visitors with a ticket through the gate. */
          final class Turnstile {

            /** Visitors that pass in an hour at most. */
            private static final int MOST_VISITORS = 40;
          }
          """);

  private static final String QUESTIONS =
      """
      {"id": "right", "corpus": "org.garden:garden:1.0", "question": "Which class decides when beds \
      are watered?", "files": ["WateringPolicy"], "lines": ["Decides when"], "kind": "which"}
      {"id": "wrong", "corpus": "org.garden:garden:1.0", "question": "How many visitors pass the \
      gate at most?", "files": ["WateringPolicy"], "lines": ["nowhere"], "kind": "how many"}
      """;

  @TempDir private Path folder;

  private Path questions(String text) throws IOException {
    return Files.writeString(folder.resolve("questions.jsonl"), text);
  }

  private void jar(String name) throws IOException {
    Files.createDirectories(folder.resolve("cache/jars"));
    try (OutputStream out = Files.newOutputStream(folder.resolve("cache/jars").resolve(name));
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> file : GARDEN.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @Test
  void eachStageIsCountedForAllQuestionsEachKindAndEachTree() throws IOException {
    jar("garden-1.0-sources.jar");
    Finished finished = answered();
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("questions").asInt()).isEqualTo(2);
    assertThat(report.path("failed").asInt()).isZero();
    for (String stage : new String[] {"index", "search", "bm25", "grep"}) {
      JsonNode all = row(report, "all", stage);
      assertThat(all.path("file@1").asInt()).as(stage).isEqualTo(1);
      assertThat(all.path("evidence").asInt()).as(stage).isEqualTo(1);
      assertThat(all.has("fileF1")).as(stage).isFalse();
    }
    assertThat(row(report, "which", "search").path("file@1").asInt()).isEqualTo(1);
    assertThat(row(report, "how many", "search").path("file@1").asInt()).isZero();
    assertThat(row(report, "org.garden:garden:1.0", "search").path("questions").asInt())
        .isEqualTo(2);
    assertThat(report.path("results").findValuesAsText("system"))
        .as("no model is asked")
        .doesNotContain("cited");
    assertThat(folder.resolve("cache/garden-1.0/garden/Turnstile.java")).exists();
  }

  /** The key has a right line for the first question, and none for the second. */
  @ParameterizedTest
  @CsvSource({
    "competent, 131072", "sloppy, 131072", "inventing, 131072",
    "competent, 16384", "sloppy, 16384", "inventing, 16384"
  })
  void ofAReaderThatKnowsTheKeyWhatIsRightIsCitedAndNothingElse(String reader, String context)
      throws IOException {
    jar("garden-1.0-sources.jar");
    Finished finished = answered("--reader", reader, "--context", context);
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode report = finished.json();
    assertThat(report.path("models").path(0).asText()).isEqualTo("scripted-" + reader);
    assertThat(report.path("failed").asInt()).isZero();
    assertThat(report.path("unfoundedCitations").asInt()).isZero();
    assertThat(report.path("droppedQuotes").asInt()).isEqualTo(reader.equals("inventing") ? 1 : 0);
    int calls = report.path("calls").path("all").asInt();
    assertThat(calls).isBetween(2, 12);
    assertThat(report.path("calls").path("mostOfAQuestion").asInt()).isBetween(1, calls);
    assertThat(report.path("calls").path("cachedTokens").asLong())
        .isBetween(1L, report.path("calls").path("promptTokens").asLong());
    int right = reader.equals("inventing") ? 0 : 1;
    assertThat(report.path("scripted").asText()).contains("knows the key", "upper bound");
    JsonNode cited = row(report, "which", "cited");
    assertThat(cited.path("file@1").asInt()).isEqualTo(right);
    assertThat(cited.path("evidence").asInt()).isEqualTo(right);
    assertThat(cited.path("tokens").asDouble()).isPositive();
    assertThat(row(report, "how many", "cited").path("evidence").asInt()).isZero();
    assertThat(report.path("citesNoEvidence").valueStream().map(JsonNode::asText))
        .contains("wrong");
  }

  @Test
  void aPublicSetIsAskedAboutTheCommitsOfRepositoriesThatAreHere()
      throws IOException, InterruptedException {
    Path repository = Files.createDirectories(folder.resolve("repositories/org__garden"));
    for (Map.Entry<String, String> file : GARDEN.entrySet()) {
      Path to = repository.resolve(file.getKey());
      Files.createDirectories(to.getParent());
      Files.writeString(to, file.getValue());
    }
    git(repository, "init", "--quiet");
    git(repository, "add", ".");
    git(repository, "-c", "user.name=g", "-c", "user.email=g@g", "commit", "--quiet", "-mAll");
    String commit = git(repository, "rev-parse", "HEAD");
    git(repository, "rm", "--quiet", "-r", "garden");
    String question =
        """
        {"instance_id": "g-1", "repo": "org/garden", "base_commit": "%s", "language": "java", \
        "problem_statement": "Which class decides when beds\\nare watered?", "gold_context": \
        "[{\\"file\\": \\"garden/WateringPolicy.java\\", \\"start_line\\": 3, \\"end_line\\": 4}]"}
        """
            .formatted(commit);

    Finished finished =
        answeredOf(question, "--repositories", folder.resolve("repositories").toString());

    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode search = row(finished.json(), "java", "search");
    assertThat(search.path("file@1").asInt()).isEqualTo(1);
    assertThat(search.path("evidence").asInt()).isEqualTo(1);
    assertThat(search.path("fileF1").asDouble()).isPositive();
    assertThat(search.path("lineCoverage").asDouble()).isEqualTo(1);
  }

  private static String git(Path folder, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(words));
    Process git =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor()).as(said).isZero();
    return said.strip();
  }

  private Finished answered(String... more) throws IOException {
    return answeredOf(QUESTIONS, more);
  }

  private Finished answeredOf(String questions, String... more) throws IOException {
    List<String> line =
        new ArrayList<>(List.of("bench", "answers", questions(questions).toString(), "--json"));
    line.addAll(List.of("--cache", folder.resolve("cache").toString()));
    line.addAll(List.of("--state", folder.resolve("state").toString()));
    line.addAll(List.of(more));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  private static JsonNode row(JsonNode report, String group, String system) {
    for (JsonNode row : report.path("results")) {
      if (row.path("group").asText().equals(group) && row.path("system").asText().equals(system)) {
        return row;
      }
    }
    throw new AssertionError("no row of " + system + " for " + group + " in " + report);
  }

  @Test
  void whatCannotBeAskedIsRefusedOnOneLine() throws IOException {
    Rig.assertOneLine(
        CommandLineRun.of("bench", "answers", questions("{}\n").toString()),
        2,
        "questions.jsonl:1: lacks the text id");
    Rig.assertOneLine(
        CommandLineRun.of(
            "bench", "answers", questions(QUESTIONS).toString(), "--model-url", "gpu-1"),
        2,
        "--model-url gpu-1");
    Rig.assertOneLine(
        CommandLineRun.of("bench", "answers", questions(QUESTIONS).toString(), "--reader", "lazy"),
        2,
        "--reader: a reader is competent, sloppy, inventing, not: lazy");
    Rig.assertOneLine(
        CommandLineRun.of(
            "bench",
            "answers",
            questions(QUESTIONS.replace("org.garden:", "")).toString(),
            "--cache",
            folder.resolve("cache").toString(),
            "--state",
            folder.resolve("state").toString()),
        2,
        "group:artifact:version");
    String set = "{\"question\": \"Where?\", \"answer\": \"In `a/B.java` (line 4).\"}\n";
    Rig.assertOneLine(
        CommandLineRun.of("bench", "answers", questions(set).toString()),
        2,
        "--repositories",
        "questions");
  }
}
