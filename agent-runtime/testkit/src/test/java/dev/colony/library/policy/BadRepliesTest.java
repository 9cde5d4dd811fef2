package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.library.capability.ReasoningCapability;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.library.policy.PlannerArgs.PlannerCalls;
import dev.colony.library.policy.PlannerArgs.PlannerModel;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.FakeModel.Prompt;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a model is told of a reply that cannot be used, found by the gateway or by the policy. */
class BadRepliesTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private List<String> asked() {
    return model.prompts().stream().map(Prompt::messages).map(List::getLast).toList();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theNextPromptSaysWhatWasWrongAlsoWhereTheGatewayFoundIt(boolean tools) {
    FakeModel served = tools ? model : model.withoutTools();
    served.expect("## Goals").answer("I think");
    served.expect("This reply is not as it has to be: it calls no tool").answer("I do think");
    served.expect("Your reply could not be used: it calls no tool").complete("done");
    try (TestAgent agent = Notes.agent(Notes.clerk(), model)) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
  }

  @Test
  void theReasonIsThatOfTheLastReply() {
    model.expect("## Goals").act("note_create", Map.of());
    model.expect("there is no action `note_create`").answer("I think");
    model.expect("Your reply could not be used: it calls no tool").complete("done");
    try (TestAgent agent = Notes.agent(Notes.clerk(), model)) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
    assertThat(asked().getLast()).doesNotContain("note_create");
  }

  @Test
  void aModelThatRepairsRepliesIsToldWhatWasWrong() {
    PlannerCalls calls =
        PlannerCalls.ALIKE.repair(PlannerModel.OF_AGENT.temperature(0.5).answerTokens(64));
    model.expect("## Goals").answer("I think");
    model.expect("This reply cannot be used: it calls no tool").answer("");
    model.expect("Your reply could not be used: it is empty").complete("done");
    try (TestAgent agent = Notes.agent(Notes.clerk(PlannerArgs.NONE.calls(calls)), model)) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
  }

  @Test
  void aReplyThatIsTooLargeIsToldTheNumbersAndNoServer() {
    model.expect("## Goals").act("notes.add", Map.of("text", "x".repeat(1 << 20)));
    model.expect("Your reply could not be used: ").complete("done");
    try (TestAgent agent = Notes.agent(Notes.clerk(), model)) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
    assertThat(asked().getLast())
        .containsPattern(
            "Your reply could not be used: it has 1,048,\\d{3} bytes, and a reply may have"
                + " [\\d,]+ at most: write a shorter one")
        .doesNotContain("127.0.0.1");
  }

  @Test
  void aReplyThatIsBrokenJsonIsToldWhereItBreaks() {
    model.withoutTools().expect("## Goals").answer("{\"calls\": [{\"tool\": notes_add}]}");
    model.expect("This reply is not as it has to be").answer("{\"calls\": [{\"tool\": notes}]}");
    model
        .expect("Your reply could not be used: it is not JSON (Unrecognized token 'notes'")
        .complete("done");
    try (TestAgent agent = Notes.agent(Notes.clerk(), model)) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
  }

  @Test
  void whereThereAreManyActionsTheModelIsToldWhatIsWrongWithTheParametersThatItGuessed() {
    model.expect("## Goals").calls("take", take("notes_add", Map.of("txt", "hi")));
    model
        .expect("## Chosen action", "What you gave does not fit: `notes_add` needs `text` (text)")
        .calls("take", take("notes_burn", Map.of("txt", "hi")));
    model
        .expect("Your reply could not be used: `notes_burn` needs `text` (text), which is missing")
        .complete("done");
    try (TestAgent agent =
        TestAgent.of(Notes.clerk())
            .types(Notes.TYPES)
            .model(model)
            .settings("colony.agent.policy.two-phase-above = 2")
            .start()) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
  }

  private static Map<String, Object> take(String action, Map<String, String> parameters) {
    return Map.of("action", action, "parameters", parameters);
  }

  @Test
  void aPlannerIsToldInItsNextPromptWhatWasWrongWithItsPlan() {
    model.expect("Plan how").answer("I think");
    model.expect("This reply is not as it has to be: it calls no tool").answer("I think");
    model.expect("Your reply was not usable: it calls no tool").giveUp("enough");
    try (TestAgent agent =
        Notes.agent(
            AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE)),
            model)) {
      assertThat(agent.run("Greet").error().orElseThrow()).contains("enough");
    }
  }

  @Test
  void aThoughtThatNoModelGaveSaysWhyAndNamesNoServer() {
    model
        .expect("## Goals")
        .act("analyze", Map.of("question", "why", "inputs", Map.of("one", "two")));
    model.expect("Question: why").answer("because").times(2);
    model
        .expect("-> failed: the model's reply to analyze cannot be used: it is not JSON")
        .complete("done");
    try (TestAgent agent =
        Notes.agent(Notes.clerk().capability(ReasoningCapability.class), model)) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
    assertThat(model.prompts().getLast().text()).doesNotContain("127.0.0.1");
  }

  @Test
  void theRunThatFailsForItSaysTheReason() {
    model.expect().answer("I think").anyTimes();
    try (TestAgent agent = Notes.agent(Notes.clerk(), model)) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.error())
          .contains(
              "the model gave no usable answer in 3 iterations: Your reply could not be used: it"
                  + " calls no tool");
    }
  }
}
