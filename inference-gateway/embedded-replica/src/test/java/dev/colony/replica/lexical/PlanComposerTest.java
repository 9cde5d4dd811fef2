package dev.colony.replica.lexical;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Tool;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Prompts as {@code colony.cache-aware} writes them, and the plans that come of them. */
class PlanComposerTest {

  private static final List<String> TOOLS =
      List.of("plan", "go_on", "escalate", "complete", "idle", "fail");

  private static final List<String> WITH_SHOW =
      Stream.concat(TOOLS.stream(), Stream.of("show_actions")).toList();

  private static final String SYSTEM =
      """
      ## How you work
      You are an agent that plans.
      Plan the next few actions, at most 6: you are asked again when they are done.

      ## Your actions
      - group tree: Reads a source tree.
      -   `tree.survey` Surveys the tree: its parts, and the files of each.
      -   `tree.check` Checks a file for open ends. Takes path (text): which file
      -   `tree.search` Searches files for open ends by words. Takes path (text): which file
      -   `tree.publish` Publishes the report [waits until a person approves it]. Takes report (value)\
      """;

  private static final String GOALS =
      """
      ## Goals
      - Survey the tree
      - For each part: for each file: check the file for open ends
      - Publish the report\
      """;

  private static final String ASK = "## Your answer\nPlan how your goals are reached.";

  @Test
  void eachStepOfTheGoalsIsAnActionThatWaitsForTheOneBefore() {
    Call call = asked(GOALS, ASK);
    assertThat(call.name()).isEqualTo("plan");
    assertThat(call.arguments())
        .isEqualTo(
            json(
                """
                {"actions": [
                  {"name": "survey", "action": "tree.survey", "parameters": {}, "after": []},
                  {"name": "parts", "goal": "For each part: for each file: check the file for open ends",
                   "input": "$results.survey"},
                  {"name": "publish", "action": "tree.publish",
                   "parameters": {"report": "$results.parts"}, "after": ["parts"]}],
                 "result": "$results.publish"}
                """));
  }

  @Test
  void whatIsRepeatedIsAPartForEachElementThatHasParts() {
    Call call =
        asked(
            GOALS,
            """
            ## Actions so far
            - survey: `tree.survey` {} -> succeeded: \
            [{"part":"core","files":["a.java","b.java"]},{"part":"cli","files":["c.java"]}]
            """,
            """
            ## Your answer
            The turn of a part has come. Plan how its goal is reached: \
            For each part: for each file: check the file for open ends (parts)
            It starts from: "$results.survey"\
            """);
    assertThat(call.arguments().path("actions"))
        .extracting(one -> one.path("name").asText())
        .containsExactly("core", "cli");
    assertThat(call.arguments().at("/actions/0/goal").asText())
        .isEqualTo("for each file: check the file for open ends");
    assertThat(call.arguments().at("/actions/0/input/files")).hasSize(2);
    assertThat(call.arguments().path("result"))
        .isEqualTo(json("{\"core\": \"$results.core\", \"cli\": \"$results.cli\"}"));
  }

  @Test
  void whatIsRepeatedForValuesIsAnActionForEach() {
    Call call =
        asked(
            GOALS,
            """
            ## Your answer
            The turn of a part has come. Plan how its goal is reached: \
            for each file: check the file for open ends (parts.core)
            It starts from: {"part":"core","files":["src/a.java","src/b.java"]}\
            """);
    assertThat(call.arguments().path("actions"))
        .extracting(one -> one.path("action").asText() + " " + one.at("/parameters/path").asText())
        .containsExactly("tree.check src/a.java", "tree.check src/b.java");
    assertThat(call.arguments().path("actions"))
        .extracting(one -> one.path("after").size())
        .containsExactly(0, 0);
  }

  @Test
  void aFailedActionGivesWayToTheOneThatFitsSecondBestAndTheNameStays() {
    Call call =
        failed("`tree.check` {\"path\":\"a.java\"}", "`a-check` failed: cannot be read", "");
    assertThat(call.name()).isEqualTo("plan");
    assertThat(call.arguments().path("mode").asText()).isEqualTo("add");
    assertThat(call.arguments().at("/actions/0/name").asText()).isEqualTo("a-check");
    assertThat(call.arguments().at("/actions/0/action").asText()).isEqualTo("tree.search");
    assertThat(call.arguments().at("/actions/0/parameters/path").asText()).isEqualTo("a.java");
  }

  @Test
  void parametersThatDoNotFitAreTriedAsText() {
    Call call =
        asked(
            GOALS,
            "## Actions so far\n- find: `tree.search` {} -> succeeded: {\"path\":\"a.java\"}",
            "## Your plan\nGoal: x\n- find [done] `tree.search` {}\n"
                + "- look [failed] `tree.check` {\"path\":\"$results.find\"}",
            looked("failed: `look` failed: object found, string expected"));
    assertThat(call.arguments().at("/actions/0/action").asText()).isEqualTo("tree.check");
    assertThat(call.arguments().at("/actions/0/parameters/path").asText())
        .isEqualTo("{\"path\":\"a.java\"}");
  }

  @Test
  void whereNothingElseFitsItGoesOnWithoutOrAsksOrGivesUp() {
    String more = "- b-check [done] `tree.check` {\"path\":\"b.java\"}\n";
    String denied = "`a-check` failed: denied by ann";
    String check = "`tree.check` {\"path\":\"a.java\"}";
    Call without = failed(check, denied, more);
    assertThat(without.name()).isEqualTo("plan");
    assertThat(without.arguments())
        .isEqualTo(
            json(
                """
                {"mode": "add", "actions": [], "result": {"b-check": "$results.b-check"}}
                """));
    assertThat(
            failed(check, denied, more + "- c [pending] `tree.publish` {}; after a-check\n").name())
        .isEqualTo("go_on");
    assertThat(failed(check, denied, "").name()).isEqualTo("fail");
    assertThat(
            asked(
                    GOALS + "\n## Constraints\n- Ask your supervisor when something fails",
                    "## Your plan\nGoal: x\n- a-check [failed] " + check,
                    looked("failed: " + denied))
                .name())
        .isEqualTo("escalate");
  }

  @Test
  void aSupervisorsAnswerIsHeeded() {
    assertThat(asked(GOALS, looked("answered: your supervisor ann says yes: go")).name())
        .isEqualTo("go_on");
    assertThat(asked(GOALS, looked("answered: your supervisor ann says no")).name())
        .isEqualTo("fail");
  }

  @Test
  void aRefusedCompletionIsTriedOnceMoreWithWhatIsDone() {
    String plan = "## Your plan\nGoal: x\n- survey [done] `tree.survey` {}\n- p [dropped] `x` {}\n";
    Call call = asked(GOALS, plan, looked("refused: $results.p is not there"));
    assertThat(call.name()).isEqualTo("complete");
    assertThat(call.arguments().path("result").asText()).isEqualTo("$results.survey");
    assertThat(
            asked(
                    GOALS,
                    plan + "Revision 1, complete, because refused: it is not there\n",
                    looked("refused: $results.p is not there"))
                .name())
        .isEqualTo("fail");
  }

  @Test
  void withoutGoalsItIsIdle() {
    assertThat(asked("", ASK).name()).isEqualTo("idle");
  }

  @Test
  void ofManyActionsTheGroupsThatFitAreShownFirst() {
    String listed =
        """
        ## How you work
        Plan the next few actions, at most 6: you are asked again when they are done.

        ## Your actions
        - group tree: Reads a source tree.
        -   `tree.survey` Surveys the tree.
        -   `tree.check` Checks a file for open ends.\
        """;
    String goal = "## Goals\n- Check the file \"a.java\" for open ends";
    Call show = call(WITH_SHOW, listed, goal, ASK);
    assertThat(show.name()).isEqualTo("show_actions");
    assertThat(show.arguments()).isEqualTo(json("{\"groups\": [\"tree\"]}"));
    Call plan =
        call(
            WITH_SHOW,
            listed,
            goal,
            ASK
                + """


                ## The actions that you asked for
                - `tree.survey` Surveys the tree.
                - `tree.check` Checks a file for open ends. Takes path (text): which file\
                """);
    assertThat(plan.arguments().at("/actions/0/parameters/path").asText()).isEqualTo("a.java");
  }

  @Test
  void criteriaHoldOfAResultThatHasTheirWords() {
    assertThat(judged("every term has an example", "{\"term\": \"tea\", \"example\": \"x\"}"))
        .isTrue();
    assertThat(judged("every term has an example", "{\"count\": 3}")).isFalse();
    assertThat(judged("every term has an example", "null")).isFalse();
  }

  private static boolean judged(String criteria, String result) {
    JsonNode schema =
        json(
            """
            {"type": "object", "properties": {"holds": {"type": "boolean"},
             "reason": {"type": "string"}}}
            """);
    String asked =
        "## Your answer\nThis has to be true: %s\nThis is the result: %s\nDoes it hold, and if not, why?"
            .formatted(criteria, result);
    return json(new LexicalModel(0).reply(LexicalPrompt.of(List.of(asked), Optional.of(schema))))
        .path("holds")
        .booleanValue();
  }

  private static Call failed(String action, String detail, String more) {
    return asked(
        GOALS,
        "## Your plan\nGoal: x\n- a-check [failed] " + action + "; " + detail + "\n" + more,
        looked("failed: " + detail));
  }

  private static String looked(String trigger) {
    return "## Your answer\nYour plan has to be looked at:\n- "
        + trigger
        + "\nWhat do you do about it?";
  }

  private static Call asked(String... messages) {
    return call(
        TOOLS,
        Stream.concat(Stream.of(SYSTEM), Stream.of(messages))
            .filter(one -> !one.isEmpty())
            .toArray(String[]::new));
  }

  private static Call call(List<String> tools, String... messages) {
    List<Tool> offered =
        tools.stream().map(name -> new Tool(name, "", json("{\"type\": \"object\"}"))).toList();
    return new LexicalModel(0)
        .call(
            LexicalPrompt.of(List.of(messages), Optional.empty()),
            new Tools(offered, new Tools.Choice.Required(), List.of()))
        .orElseThrow();
  }
}
