package dev.colony.examples.impact;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.examples.impact.Impact.Verdict;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the agent says a change would break, with a scripted model over HTTP. */
class ImpactPolicyTest {

  private static final String QUESTION = "what would break if Page.size gave a long?";

  @TempDir private Path directory;
  private final FakeModel model = FakeModel.start();
  private MappedTree tree;

  @BeforeEach
  void map() throws IOException {
    tree =
        MappedTree.of(
            directory,
            1_000,
            Map.of(
                "a/Page.java",
                    "class Page {\n  /** Its lines. */\n  int size() {\n    return 1;\n  }\n}\n",
                "a/Shelf.java",
                    "class Shelf {\n  int width() {\n    return page.size() + 1;\n  }\n}\n",
                "a/Room.java", "class Room {\n  int wall() {\n    return shelf.width();\n  }\n}\n",
                "test/ShelfTest.java",
                    "class ShelfTest {\n  void widths() {\n    check(shelf.width());\n  }\n}\n"));
  }

  @AfterEach
  void verify() {
    model.close();
  }

  private Map<String, Object> input() {
    return Map.of("question", QUESTION, "map", tree.map());
  }

  private static Impact impact(JsonNode output) {
    return Impact.read(output);
  }

  private static Map<String, Object> site(int number, String verdict, String why) {
    return Map.of("site", number, "verdict", verdict, "why", why);
  }

  private void answers() {
    model
        .expect("Give the names of the classes", "The change: " + QUESTION)
        .answer(Map.of("symbols", List.of("Page.size", "Page.sizeTokens", "all of it")));
    model
        .expect(
            "=== a/Page.java:2-5", "[1] a/Shelf.java:3 in width, uses size", "[3] test/ShelfTest")
        .answer(
            Map.of(
                "sites",
                List.of(
                    site(1, "must_change", "a long does not fit into an int"),
                    site(2, "unaffected", "width stays an int"),
                    site(1, "unaffected", "said again"),
                    site(7, "must_change", "made up"))));
    model
        .expect("a/Shelf.java:3 must_change: a long does not fit into an int")
        .answer(Map.of("summary", "Shelf.width has to give a long, or narrow."));
  }

  @Test
  void eachPlaceIsJudgedAndNothingThatTheModelMakesUpIsReported() throws IOException {
    answers();
    try (TestAgent agent = tree.agent(model, KillPoint.never())) {
      Impact impact = impact(agent.run(input()).output());
      assertThat(impact.symbols())
          .containsExactly(new Impact.Changed("Page.size", "function", "a/Page.java:2-5"));
      assertThat(impact.sites())
          .extracting(site -> site.file() + ":" + site.line() + " " + site.verdict())
          .containsExactly(
              "a/Shelf.java:3 MUST_CHANGE",
              "test/ShelfTest.java:3 UNSURE",
              "a/Room.java:3 UNAFFECTED");
      assertThat(impact.sites().getFirst().text()).isEqualTo("    return page.size() + 1;");
      assertThat(impact.tests()).containsExactly("test/ShelfTest.java");
      assertThat(impact.dropped()).isEqualTo(2);
      assertThat(impact.summary()).startsWith("Shelf.width has to");
      assertThat(Files.readString(Path.of("../docs/guides/stock-capabilities.md")))
          .as("the page shows it")
          .contains("```\n" + String.join("\n", impact.lines()) + "\n```\n");
      assertThat(impact.lines())
          .contains(
              "    a long does not fit into an int",
              "2 judgements were of no place that was shown, and were dropped");
    }
  }

  @Test
  void aReplyThatIsNoneIsAskedForOnceMore() {
    model.expect("Give the names").answer("{\"symbols\": [\"Page.size\"]");
    model.expect("Give the names").answer("```json\n{\"symbols\": [\"Page.size\"]}\n```");
    model
        .expect("[1] a/Shelf.java:3")
        .answer(Map.of("sites", List.of(site(1, "maybe", "who knows"))));
    model
        .expect("[1] a/Shelf.java:3", "maybe")
        .answer(Map.of("sites", List.of(site(1, "check", "it may overflow"))));
    model.expect("a/Shelf.java:3 check: it may overflow").answer(Map.of("summary", "Check it."));
    try (TestAgent agent = tree.agent(model, KillPoint.never())) {
      Impact impact = impact(agent.run(input()).output());
      assertThat(impact.sites().getFirst().verdict()).isEqualTo(Verdict.CHECK);
      assertThat(impact.summary()).isEqualTo("Check it.");
    }
  }

  @Test
  void whereverItDiesNothingIsAskedTwiceAndTheReportIsTheSame() {
    int writes =
        KillPoint.walk(
            KillPoint.Side.AFTER,
            kill -> {
              try (FakeModel own = FakeModel.start()) {
                own.expect("Give the names").answer(Map.of("symbols", List.of("Page.size")));
                own.expect("[1] a/Shelf.java:3")
                    .answer(Map.of("sites", List.of(site(1, "must_change", "it is an int"))));
                own.expect("must_change: it is an int").answer(Map.of("summary", "One."));
                try (TestAgent agent = tree.agent(own, kill)) {
                  RunId run = agent.ask(input());
                  agent.settle();
                  AgentRun ended = agent.result(run).orElseThrow();
                  assertThat(impact(ended.output()).summary()).isEqualTo("One.");
                }
                assertThat(own.count()).isEqualTo(3);
              }
            });
    assertThat(writes).isGreaterThan(6);
  }

  @Test
  void withoutAModelItListsWhatDependsOnIt() {
    try (TestAgent agent = tree.agent(model, KillPoint.never())) {
      Impact impact =
          impact(
              agent.run(Map.of("question", QUESTION, "map", tree.map(), "judged", false)).output());
      assertThat(impact.lines())
          .containsExactly(
              "Changes",
              "  function Page.size  a/Page.java:2-5",
              "Uses it (1)",
              "  a/Shelf.java:3 in width  return page.size() + 1;",
              "Uses what uses it (1)",
              "  a/Room.java:3 in wall, by width  return shelf.width();",
              "In tests (1)",
              "  test/ShelfTest.java:3 in widths, by width  check(shelf.width());",
              "Tests that reach it",
              "  test/ShelfTest.java",
              "No model has judged what becomes of these places");
    }
  }

  @Test
  void aQuestionThatNamesNothingIsToldSo() {
    Map<String, Object> input =
        Map.of(
            "question", "what would break if all went well?", "map", tree.map(), "judged", false);
    try (TestAgent agent = tree.agent(model, KillPoint.never())) {
      assertThat(impact(agent.run(input).output()).lines())
          .containsExactly(
              "Nothing in the tree is defined by a name that the question has. Name a class or a"
                  + " method.");
    }
  }

  @Test
  void whatNoModelAnswersForIsSaid() {
    model.expect("Give the names").answer(Map.of("symbols", List.of("size")));
    model.expect("[1] a/Shelf.java:3").fail(400);
    try (TestAgent agent = tree.agent(model, KillPoint.never())) {
      AgentRun run = agent.run(input());
      assertThat(run.error().orElseThrow()).contains("400");
    }
  }
}
