package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A model is asked once about named inputs, and what it says has to rest on them. */
class ReasoningCapabilityTest {

  private static final Map<String, String> INPUTS =
      Map.of("log", "disk full at 10:02", "ticket", "service down at 10:03");

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void close() {
    model.close();
  }

  private ActionView act(String key, Object... params) {
    AgentBlueprint thinker =
        AgentBlueprint.of(
                ScriptedActionPolicy.class,
                Script.of(
                    ScriptedRule.first().act(key, params),
                    ScriptedRule.otherwise().complete("over")))
            .capability(ReasoningCapability.class)
            .capability(CritiqueCapability.class);
    try (TestAgent agent = TestAgent.of(thinker).model(model).start()) {
      agent.run(Map.of());
      return agent.steps().action(key);
    }
  }

  private static Map<String, Object> analysis(String input) {
    return Map.of(
        "answer",
        "the disk",
        "points",
        List.of(Map.of("statement", "it was full", "inputs", List.of(input))),
        "gaps",
        List.of());
  }

  private static Map<String, Object> review(String verdict, Object... findings) {
    return Map.of("verdict", verdict, "findings", List.of(findings), "summary", "short");
  }

  private static final Map<String, String> GRAVE =
      Map.of("severity", "HIGH", "where", "step 2", "what", "loses data", "suggestion", "back up");

  @Test
  void aQuestionIsAnsweredFromInputsByOneCall() {
    model.expect("disk full at 10:02", "Question: why?").answer(analysis("log"));
    ActionView done = act("analyze", "question", "why?", "inputs", INPUTS);
    assertThat(done.output().path("answer").asText()).isEqualTo("the disk");
    assertThat(done.usage().promptTokens()).as("booked with the action").isPositive();
  }

  @Test
  void inputsThatAreTooLongForTheModelAreCutFurtherAndAskedAboutAgain() {
    model
        .expect("too long", prompt -> prompt.text().length() / 4 > 4096)
        .fail(
            400,
            "This model's maximum context length is 4096 tokens. However, your prompt contains at"
                + " least 4097 input tokens.");
    model.expect("[", " of 28000 characters]", "Question: why?").answer(analysis("log"));
    Map<String, String> inputs =
        Map.of("log", "the disk is full at 10:02. ".repeat(1000) + "end of it.".repeat(100));
    assertThat(act("analyze", "question", "why?", "inputs", inputs).success()).isTrue();
  }

  @Test
  void aPointThatRestsOnNoInputIsSentBack() {
    model.expect("Question: why?").answer(analysis("rumour"));
    model.expect("there are no inputs [rumour]").answer(analysis("ticket"));
    assertThat(
            act("analyze", "question", "why?", "inputs", INPUTS)
                .output()
                .at("/points/0/inputs/0")
                .asText())
        .isEqualTo("ticket");
  }

  @Test
  void aModelThatKeepsToItsErrorFailsTheActionAndNotTheAgent() {
    model.expect("Question: why?").anyTimes().answer("this is no JSON");
    ActionView done = act("analyze", "question", "why?", "inputs", INPUTS);
    assertThat(done.success()).isFalse();
    assertThat(done.error()).isPresent();
  }

  @Test
  void aHypothesisIsSupportedByPointsOnly() {
    Map<String, Object> bare =
        Map.of(
            "outcome", "SUPPORTED", "supporting", List.of(), "against", List.of(), "missing", "");
    model.expect("Hypothesis: it was the disk").answer(bare);
    model
        .expect("no point says why")
        .answer(
            Map.of(
                "outcome",
                "UNDECIDED",
                "supporting",
                List.of(),
                "against",
                List.of(),
                "missing",
                "the disk's log"));
    assertThat(
            act("hypothesis_test", "hypothesis", "it was the disk", "inputs", INPUTS)
                .output()
                .path("outcome")
                .asText())
        .isEqualTo("UNDECIDED");
  }

  private static Map<String, Object> choice(String chosen, double a, double b) {
    return Map.of(
        "choice",
        chosen,
        "scores",
        List.of(
            Map.of("option", "restart", "score", a, "reason", "quick"),
            Map.of("option", "clean", "score", b, "reason", "lasts")),
        "reason",
        "it lasts",
        "wouldChange",
        "less time");
  }

  @Test
  void aDecisionIsForTheOptionThatScoresBest() {
    Object[] asked = {
      "question",
      "what now?",
      "options",
      Map.of("restart", "start it again", "clean", "clear the disk"),
      "criteria",
      List.of("it lasts", "it is quick")
    };
    model.expect("- clean: clear the disk\n- restart: start it again").answer(choice("wait", 1, 2));
    model.expect("there is no option wait, only [clean, restart]").answer(choice("clean", 3, 8));
    assertThat(act("decision_make", asked).output().path("choice").asText()).isEqualTo("clean");
    model.expect("what now?").answer(choice("restart", 3, 8));
    model.expect("another option has a higher score").answer(choice("clean", 3, 8));
    assertThat(act("decision_make", asked).output().path("choice").asText()).isEqualTo("clean");
  }

  @Test
  void aSummaryKeepsToItsLength() {
    model.expect("at most 10 words").answer("word ".repeat(40));
    model.expect("the summary has 40 words").answer("The disk was full and the service went down.");
    assertThat(act("context_summarize", "inputs", INPUTS, "words", 10).output().asText())
        .startsWith("The disk");
  }

  @Test
  void aReviewDoesNotAcceptWhatHasAGraveFault() {
    model.expect("Review the subject", "- complete").answer(review("ACCEPT", GRAVE));
    model.expect("a finding has the severity HIGH").answer(review("REVISE", GRAVE));
    JsonNode review =
        act("critique", "subject", "a text", "criteria", List.of("complete")).output();
    assertThat(review.path("verdict").asText()).isEqualTo("REVISE");
    assertThat(review.at("/findings/0/where").asText()).isEqualTo("step 2");
  }

  @Test
  void aPlanIsReviewedAgainstGoalAndConstraints() {
    model.expect("Its goal: move the data", "- no downtime").answer(review("REJECT"));
    model.expect("no finding that says why").answer(review("ACCEPT"));
    assertThat(
            act(
                    "plan_review",
                    "goal",
                    "move the data",
                    "plan",
                    List.of("stop", "copy"),
                    "constraints",
                    List.of("no downtime"))
                .output()
                .path("verdict")
                .asText())
        .isEqualTo("ACCEPT");
  }

  @Test
  void inputsShareTheRoomThatThereIs() {
    Inquiry asked =
        new Inquiry(
            "role",
            Map.of("a", TextNode.valueOf("x".repeat(1_000)), "b", TextNode.valueOf("short")),
            "What?");
    assertThat(asked.text(200))
        .startsWith(
            "<input name=\"a\">\n" + "x".repeat(100) + "\n[100 of 1000 characters]\n</input>")
        .contains("<input name=\"b\">\nshort\n</input>")
        .endsWith("What?");
  }
}
