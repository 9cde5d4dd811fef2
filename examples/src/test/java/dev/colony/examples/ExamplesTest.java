package dev.colony.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.ColonyCommand;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.client.ColonyClient;
import dev.colony.examples.coordinator.Counting;
import dev.colony.examples.review.Review;
import dev.colony.testkit.FakeModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The examples, each on a real node with a scripted model. */
class ExamplesTest {

  @TempDir private static Path directory;
  private static final FakeModel MODEL = FakeModel.start();
  private static Cluster cluster;
  private static ColonyClient client;

  @BeforeAll
  static void start() {
    cluster =
        new ClusterLauncher(StateDirectory.open(directory), Optional.empty(), notice -> {})
            .startForCommand(1, Optional.of(MODEL.uri()), "test");
    client = ColonyClient.connect(cluster.redisUri());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
    MODEL.close();
  }

  @Test
  void stateIsKeptUnderTheUsersHome() {
    assertThat(
            new CommandLine(new Examples()).getCommandSpec().findOption("--state").initialValue())
        .isEqualTo(StateFolder.usual().resolve("examples"));
  }

  @Test
  void aConversationIsAnsweredMessageByMessage() throws Exception {
    answered("And what is a ferry?", "It crosses a river.");
    answered("What is a bridge?", "It spans a river.");
    AgentId agent = new AgentId("local", "examples", "talker");
    try (Chat chat = new Chat(cluster.blackboards(), cluster.colony(), agent)) {
      assertThat(chat.say("What is a bridge?")).isEqualTo("It spans a river.");
      assertThat(chat.say("And what is a ferry?")).isEqualTo("It crosses a river.");
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> cluster.colony().agent(agent).state().toCompletableFuture().join().isPresent());
  }

  /** One message of a conversation: the answer, and that nothing is left to do. */
  private static void answered(String message, String answer) {
    MODEL.expect(message, answer).anyTimes().idle();
    MODEL.expect(message).anyTimes().act("respond_to_user", Map.of("reply", answer));
  }

  /** The plans of a review: its steps, the parts of the tree, the files of each part. */
  private static void planned(Map<String, List<String>> parts) {
    MODEL.expect(ReviewScript.STEPS).anyTimes().calls("plan", ReviewScript.steps());
    String all = parts.values().toString();
    MODEL
        .expect("of " + all, prompt -> ReviewScript.asksForParts(prompt.text(), parts))
        .anyTimes()
        .calls("plan", ReviewScript.parts(parts));
    parts.forEach((part, files) ->
        MODEL
            .expect(
                "files of " + part, prompt -> ReviewScript.asksForFiles(prompt.text(), part, files))
            .anyTimes()
            .calls("plan", ReviewScript.files(files)));
  }

  @Test
  void aCoordinatorSeesItsWorkersResultsApartFromItsOwnSynthesis() {
    AgentId coordinator = new AgentId("local", "examples", "counter");
    AgentRun run =
        Counting.count(cluster.colony(), coordinator, List.of("the cat saw the dog", "a dog", ""));

    assertThat(run.error()).isEmpty();
    JsonNode words = run.output().path("words");
    assertThat(words.path("dog").asInt()).isEqualTo(2);
    assertThat(words.path("the").asInt()).isEqualTo(2);
    assertThat(words).hasSize(5);
    assertThat(run.output().path("sections")).hasSize(2);
    assertThat(run.output().path("sections").get(0).asText().lines())
        .hasSize(4)
        .first()
        .isEqualTo("## Worker Results");
    assertThat(run.output().path("sections").get(0).asText())
        .contains("worker_failed: {\"number\":2")
        .contains("worker_result: {\"number\":1,\"words\":{\"a\":1,\"dog\":1}}");
    assertThat(run.output().path("sections").get(1).asText().lines())
        .containsExactly(
            "## Synthesis Progress",
            "- example.texts.synthesize: {\"a\":1,\"cat\":1,\"dog\":2,\"saw\":1,\"the\":2}",
            "- finalize: 3");
    for (int i = 0; i < 3; i++) {
      AgentId worker = new AgentId("local", "examples", "counter-" + run.runId() + "-" + i);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() ->
              cluster
                  .colony()
                  .agent(worker)
                  .state()
                  .toCompletableFuture()
                  .join()
                  .map(AgentStatus::state)
                  .equals(Optional.of(AgentState.STOPPED)));
    }
  }

  @Test
  void aReviewPlansThreeLevelsAndPublishesWhatAPersonApproves(@TempDir Path tree) throws Exception {
    source(tree, "core/Main.java", "// TODO: close it\nclass Main {}\n");
    source(tree, "core/Part.java", "class Part {}\n");
    source(tree, "web/Page.java", "class Page {}\n// FIXME: escape\n");
    AgentId id = new AgentId("local", "examples", "review");
    Review review = new Review(client.colony(), id, tree, " --state here");
    planned(
        Map.of(
            "core", List.of("core/Main.java", "core/Part.java"), "web", List.of("web/Page.java")));
    List<String> heard = new CopyOnWriteArrayList<>();
    BlockingQueue<String> typed = new LinkedBlockingQueue<>(List.of("yes"));

    AgentRun run = review.run(typed, heard::add);

    assertThat(run.error()).isEmpty();
    assertThat(run.output().path("files").asInt()).isEqualTo(3);
    assertThat(run.output().path("openEnds").asInt()).isEqualTo(2);
    assertThat(heard).hasSize(2);
    assertThat(heard.getFirst()).contains("publish_report");
    assertThat(heard.getLast())
        .isEqualTo(
            "Shall it? y or n here, or: colony approve local/examples/review --state here,"
                + " or colony deny");
    assertThat(review.plan())
        .anyMatch(line -> line.startsWith("- survey_tree [done] "))
        .anyMatch(line -> line.startsWith("  - core [done] "))
        .anyMatch(line -> line.startsWith("    - Main-check_file [done] "))
        .anyMatch(line -> line.startsWith("    - Page-check_file [done] "))
        .anyMatch(line -> line.startsWith("- publish_report [done] "));
    assertThat(run.stats().modelCalls()).as("one for each level").isEqualTo(4);
  }

  @Test
  void whatAPersonDeniesIsDoneWithout(@TempDir Path tree) throws Exception {
    source(tree, "core/Denied.java", "// TODO: close it\nclass Denied {}\n");
    AgentId id = new AgentId("local", "examples", "denied-review");
    MODEL
        .expect("Your plan has to be looked at")
        .anyTimes()
        .calls("plan", ReviewScript.without("publish_report"));
    planned(Map.of("core", List.of("core/Denied.java")));
    Review review = new Review(client.colony(), id, tree, "");

    AgentRun run = review.run(new LinkedBlockingQueue<>(List.of("n")), line -> {});

    assertThat(run.error()).isEmpty();
    assertThat(run.output().toString()).contains("TODO: close it");
    assertThat(review.plan()).anyMatch(line -> line.startsWith("- publish_report [dropped] "));
  }

  @Test
  void aReviewIsApprovedFromElsewhere(@TempDir Path tree) throws Exception {
    source(tree, "core/Other.java", "class Other {}\n");
    AgentId id = new AgentId("local", "examples", "other-review");
    planned(Map.of("core", List.of("core/Other.java")));
    Review review = new Review(client.colony(), id, tree, "");
    List<Integer> approved = new CopyOnWriteArrayList<>();
    Consumer<String> second =
        line -> {
          if (line.startsWith("Shall it?")) {
            approved.add(
                ColonyCommand.execute(
                    "approve", id.toString(), "--by", "ann", "--state", directory.toString()));
          }
        };
    AgentRun run = review.run(new LinkedBlockingQueue<>(), second);
    assertThat(run.error()).isEmpty();
    assertThat(run.output().path("files").asInt()).isEqualTo(1);
    assertThat(approved).containsExactly(0);
  }

  private static void source(Path tree, String file, String text) throws IOException {
    Path path = tree.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void badInputIsToldInOneLine() {
    assertThat(Examples.execute("review", "no-such-directory")).isEqualTo(2);
    assertThat(Examples.execute("impact", "no-such-directory", "what?")).isEqualTo(2);
    assertThat(Examples.execute("dance")).isEqualTo(2);
  }

  @Test
  void thePagesShowCommandsThatAreUnderstood() throws Exception {
    assertThat(commands("../README.md")).hasSize(4);
    assertThat(commands("../docs/guides/stock-capabilities.md")).hasSize(1);
    for (String page : List.of("../README.md", "../docs/guides/stock-capabilities.md")) {
      for (String[] command : commands(page)) {
        assertThatCode(() -> new CommandLine(new Examples()).parseArgs(command))
            .doesNotThrowAnyException();
      }
    }
  }

  private static List<String[]> commands(String page) throws IOException {
    return Pattern.compile("(?m)^\\$ \\./colony example ([^#\\n]*)")
        .matcher(Files.readString(Path.of(page)))
        .results()
        .map(shown -> shown.group(1).strip().split(" +(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)"))
        .toList();
  }
}
