package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.library.policy.PlannerArgs.PlannerModel;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.FakeModel.Prompt;
import dev.colony.testkit.TestAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that a model plans for, over HTTP, against servers with tools and without. */
class PlanningOverHttpTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(AgentBlueprint blueprint) {
    return Notes.agent(blueprint, model);
  }

  private FakeModel served(boolean tools) {
    return tools ? model : model.withoutTools();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theSameAgentWorksWithToolsAndWithout(boolean tools) {
    served(tools).expect("## Goals\n- Greet").act("notes.add", Map.of("text", "hi"));
    model
        .expect("- a1: `notes_add` {\"text\":\"hi\"} -> succeeded: {", "You said: scripted")
        .complete("done");
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.output().asText()).isEqualTo("done");
      agent.steps().assertOutput("notes.add", Map.of("text", "hi", "stars", 3));
    }
    Prompt last = model.prompts().getLast();
    assertThat(last.offers("notes_add")).isEqualTo(tools);
    assertThat(last.system()).startsWith("## How you work\nYou are an agent.");
    assertThat(last.system().contains("- notes_add: Stores a note.")).isEqualTo(!tools);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplyMayEndTheRunTogetherWithItsLastAction(boolean tools) {
    served(tools)
        .expect("Greet")
        .calls(
            "notes.add", Map.of("text", "one"),
            "notes.add", Map.of("text", "$results.a1.text", "stars", "$results.a1.stars"),
            "complete", Map.of("result", "$results.a2"));
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.output().path("text").asText()).isEqualTo("one");
      assertThat(run.stats().modelCalls()).isEqualTo(1);
      agent.steps().assertActions("notes.add", "notes.add");
    }
  }

  @Test
  void whenAnActionFailsTheRestOfTheReplyIsDroppedAndTheModelIsTold() {
    model
        .expect("Greet")
        .calls(
            "notes.burn", Map.of("text", "x"),
            "notes.add", Map.of("text", "y"),
            "complete", Map.of("result", "fine"));
    model
        .expect(
            "-> failed: ",
            "These actions of your last reply were not taken, since the one before did not"
                + " succeed: notes_add")
        .giveUp("it does not burn");
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.error()).contains("gave up: it does not burn");
      agent.steps().assertActions("notes.burn");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBadReplyIsRepairedInWordsAboutTheActionThatItNames(boolean tools) {
    served(tools).expect("## Goals").act("notes.add", Map.of("txt", "hi"));
    model
        .expect(
            "`notes_add` needs `text` (text), which is missing",
            "`notes_add` has no `txt`, only text, stars")
        .act("notes.add", Map.of("text", "hi"));
    model.expect("-> succeeded").complete("done");
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(run.stats().modelCalls()).isEqualTo(2);
    }
  }

  @Test
  void anUnknownActionIsAnsweredWithThoseThatAreLikeIt() {
    model.expect("## Goals").act("note_create", Map.of());
    model
        .expect("there is no action `note_create`; did you mean notes_add or")
        .act("notes.add", Map.of("text", "hi", "stars", 9));
    model
        .expect("Your reply could not be used: the arguments of `notes_add` do not fit: ", "1 to 5")
        .complete("done");
    try (TestAgent agent = agent(Notes.clerk())) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
    assertThat(model.prompts().getLast().text()).doesNotContain("127.0.0.1");
  }

  @Test
  void allTokensOfAModelThatIsNeverUsableAreBooked() {
    model.expect().answer("I think").usage(100, 0, 7).times(6);
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.error().orElseThrow())
          .contains("the model gave no usable answer in 3 iterations");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(600);
      assertThat(run.stats().usage().completionTokens()).isEqualTo(42);
    }
  }

  @Test
  void aTextAsInputIsTheGoalAndAChildsTaskAndListsReachThePrompt() {
    model.expect("## Goals\n- Greet the lead").complete(1);
    model.expect("## Input\n- input: [1,2]").complete(2);
    model.expect("## Goals\n- count", "## Input\n- input: {\"n\":3}").complete(3);
    try (TestAgent agent = agent(Notes.clerk())) {
      assertThat(agent.run("Greet the lead").output().asInt()).isEqualTo(1);
      assertThat(agent.run(List.of(1, 2)).output().asInt()).isEqualTo(2);
      assertThat(agent.run(Map.of("goals", "count", "input", Map.of("n", 3))).output().asInt())
          .isEqualTo(3);
    }
  }

  @Test
  void aResultIsShownInFullAsFarAsTheSectionGoes() {
    model.expect("Report").act("notes.report", Map.of());
    model.expect("-> succeeded: " + "note ".repeat(700).strip()).complete("read");
    try (TestAgent agent = agent(Notes.clerk())) {
      assertThat(agent.run(Map.of("goals", "Report")).output().asText()).isEqualTo("read");
    }
  }

  @Test
  void whatTheRunGivesIsHeldAgainstItsDeclarationWithinTheCall() {
    ActionPolicyIO io = ActionPolicyIO.builder().output("answer", String.class).build();
    model.expect("Answer").complete(Map.of("answer", 3));
    model.expect("the result of `complete` does not fit: ").complete(Map.of("answer", "three"));
    try (TestAgent agent = agent(Notes.clerk(PlannerArgs.NONE.io(io)))) {
      assertThat(agent.run(Map.of("goals", "Answer")).output().path("answer").asText())
          .isEqualTo("three");
    }
  }

  @Test
  void aReferenceToWhatIsNotThereIsRepairedWithinTheCall() {
    model.expect("Greet").act("notes.add", Map.of("text", "$lost"));
    model
        .expect("in the arguments of `notes_add`: ", "there is no variable lost")
        .act("notes.add", Map.of("text", "$$5"));
    model.expect("## Variables\n- $last_note: {").complete("$last_note.text");
    try (TestAgent agent = agent(Notes.clerk())) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("$5");
    }
  }

  @Test
  void tagsAndModelSettingsOfThePolicyAreKept() {
    model
        .expect(
            "no slow tool", prompt -> prompt.offers("notes_add") && !prompt.offers("notes_report"))
        .complete("done");
    try (TestAgent agent =
        agent(
            Notes.clerk(
                PlannerArgs.NONE
                    .exclude("slow")
                    .model(PlannerModel.OF_AGENT.temperature(0.5).answerTokens(64))))) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
  }

  @Test
  void exportsLeaveTheRunWithTheResult() {
    model
        .expect("Greet")
        .calls("complete", Map.of("result", 1, "exports", Map.of("draft", "hello")));
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.exported())
          .isEqualTo(Map.of("draft", JsonNodeFactory.instance.textNode("hello")));
    }
  }

  @Test
  void overThirtyStepsNearlyAllOfWhatIsSentIsTheBeginningOfTheNext() {
    IntStream.range(0, 30)
        .forEach(i -> model.expect().act("notes.add", Map.of("text", "note number " + i)));
    model.expect().complete("done");
    try (TestAgent agent =
        agent(Notes.clerk(PlannerArgs.NONE.role("You keep notes. ".repeat(20))))) {
      agent.run(Map.of("goals", "Write thirty notes"));
    }
    List<String> sent = new ArrayList<>();
    for (Prompt prompt : model.prompts()) {
      sent.add(prompt.text());
    }
    assertThat(sent).hasSize(31);
    for (int i = 1; i < sent.size(); i++) {
      assertThat(PlanningPrompt.shared(sent.get(i - 1), sent.get(i)))
          .as("prompt " + i)
          .isGreaterThanOrEqualTo(0.85);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{\"calls\": 3}",
        "{\"calls\": [{\"tool\": 7}]}",
        "{\"calls\": [{\"tool\": \"notes_add\", \"arguments\": [1]}]}",
        "{\"calls\": [{\"tool\": \"idle\"}, {\"tool\": \"notes_add\", \"arguments\": {}}]}",
        "{\"tool\": \"take\", \"arguments\": {}}"
      })
  void aHostileModelEndsTheRunInAStatedFailure(String answer) {
    model.expect().answer(answer).anyTimes();
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.error().orElseThrow()).contains("no usable answer in 3 iterations");
      assertThat(model.count()).isEqualTo(6);
    }
  }
}
