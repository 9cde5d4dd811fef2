package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Query;
import dev.colony.library.policy.PlanningPrompt.KeptPrompt;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.FakeModel.Prompt;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Planners whose prompts grow longer than the model takes. */
class LongPromptsTest {

  private static final int LIMIT = 8192;

  /** As vLLM says it, which counts no further than to the first token that is too much. */
  private static final String REFUSAL =
      "This model's maximum context length is 8192 tokens. However, your prompt contains at least"
          + " 8193 input tokens. Please reduce the length of the input prompt or the number of"
          + " requested output tokens.";

  private static final int NOTES = 3;
  private static final String SETTINGS = "colony.agent.prompt.history = 30000";

  private static int tokens(Prompt prompt) {
    return prompt.text().length() / 4;
  }

  private static boolean tooLong(Prompt prompt) {
    return tokens(prompt) > LIMIT;
  }

  private static String note(int number) {
    return ("note %d says much of the sea, ".formatted(number)).repeat(200).strip();
  }

  /** A model that has long notes written, and ends the run behind them. */
  private static FakeModel model() {
    FakeModel model = FakeModel.start();
    model.expect("too long", LongPromptsTest::tooLong).fail(400, REFUSAL).anyTimes();
    for (int i = 1; i <= NOTES; i++) {
      model.expect("is named a" + i + ".").act("notes.add", Map.of("text", note(i))).anyTimes();
    }
    model.expect("is named a" + (NOTES + 1) + ".").complete("done").anyTimes();
    return model;
  }

  private static AgentRun run(FakeModel model, KillPoint kill) {
    try (TestAgent agent =
        TestAgent.of(Notes.clerk())
            .types(Notes.TYPES)
            .settings(SETTINGS)
            .killed(kill)
            .model(model)
            .start()) {
      return agent.run(Map.of("goals", "Write long notes"));
    }
  }

  private static List<Prompt> taken(FakeModel model) {
    return model.prompts().stream().filter(prompt -> !tooLong(prompt)).toList();
  }

  @Test
  void aPromptThatIsTooLongIsMadeShorterAndAskedAgain() {
    try (FakeModel model = model();
        TestAgent agent =
            TestAgent.of(Notes.clerk())
                .types(Notes.TYPES)
                .settings(SETTINGS)
                .model(model)
                .start()) {
      AgentRun run = agent.run(Map.of("goals", "Write long notes"));

      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("done");
      assertThat(model.prompts()).anyMatch(LongPromptsTest::tooLong);
      assertThat(taken(model))
          .hasSize(NOTES + 1)
          .allMatch(prompt -> prompt.text().contains("## Goals\n- Write long notes"));
      assertThat(taken(model).getLast().text())
          .contains("## Actions so far\n[", " earlier ones do not fit]", "- a3: `notes_add`")
          .doesNotContain("- a1: ");
      assertThat(kept(agent, "plan-short"))
          .as("what people are shown")
          .anyMatch(one -> one.name().equals("history") && one.cut());
    }
  }

  private static List<PromptSection> kept(TestAgent agent, String call) {
    return agent
        .blackboard(agent.handle().id().scope().namespace(KeptPrompt.NAMESPACE))
        .query(Query.keys("*"))
        .toCompletableFuture()
        .join()
        .entries()
        .stream()
        .map(entry -> (KeptPrompt) JsonValues.read(entry.value(), KeptPrompt.class))
        .filter(prompt -> prompt.name().equals(call))
        .flatMap(prompt -> prompt.sections().stream())
        .toList();
  }

  /**
   * All of a prompt but its history, of which a process that knows the limit keeps less at once.
   */
  private static String withoutHistory(Prompt prompt) {
    return prompt.text().replaceAll("(?s)## Actions so far\\n.*?(?=\\n## )", "");
  }

  @Test
  void whereverTheProcessDiesTheSameIsAsked() {
    Set<String> whole = new LinkedHashSet<>();
    try (FakeModel model = model()) {
      run(model, KillPoint.never());
      model.prompts().forEach(prompt -> whole.add(withoutHistory(prompt)));
    }
    KillPoint.walk(kill -> {
      try (FakeModel model = model()) {
        assertThat(run(model, kill).output().asText()).isEqualTo("done");
        assertThat(model.prompts()).extracting(LongPromptsTest::withoutHistory).isSubsetOf(whole);
      }
    });
  }

  @Test
  void aPromptThatIsTooLongHoweverShortFailsTheRunInTheServersWords() {
    try (FakeModel model = FakeModel.start()) {
      model.expect().fail(400, REFUSAL).times(2);
      AgentRun run = run(model, KillPoint.never());
      assertThat(run.error().orElseThrow()).contains("maximum context length is 8192 tokens");
    }
  }
}
