package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.library.capability.CritiqueCapability;
import dev.colony.library.capability.OutputCapability;
import dev.colony.library.capability.ReasoningCapability;
import dev.colony.library.context.ContextCapability;
import dev.colony.library.context.MemoryCapability;
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

/** The calls of planners: which there are with how many actions, and how each is made. */
class PlannerCallsTest {

  private static final PlannerModel USUAL = PlannerModel.OF_AGENT.answerTokens(900);

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private static PlannerModel warm(double temperature) {
    return PlannerModel.OF_AGENT.temperature(temperature);
  }

  private List<Double> temperatures() {
    return model.prompts().stream().map(one -> one.temperature().orElseThrow()).toList();
  }

  @Test
  void eachCallIsMadeAsTheArgumentsSay() {
    PlannerArgs args =
        PlannerArgs.NONE
            .model(USUAL)
            .calls(PlannerCalls.ALIKE.plan(warm(0.2)).parameters(warm(0.4)).repair(warm(0.6)));
    model.expect("Greet").calls("take", Map.of("action", "notes_add"));
    model
        .expect("## Chosen action")
        .calls("take", Map.of("action", "notes_add", "parameters", Map.of("txt", "hi")));
    model
        .expect("This reply cannot be used: `notes_add` needs `text`", "take {\"action\":")
        .calls("take", Map.of("action", "notes_add", "parameters", Map.of("text", "hi")));
    model.expect("-> succeeded").complete("done");
    try (TestAgent agent =
        TestAgent.of(Notes.clerk(args))
            .types(Notes.TYPES)
            .model(model)
            .settings("colony.agent.policy.two-phase-above = 2")
            .start()) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.output().asText()).isEqualTo("done");
    }
    assertThat(temperatures()).containsExactly(0.2, 0.4, 0.6, 0.2);
    assertThat(model.prompts()).extracting(Prompt::maxTokens).containsOnly(900);
  }

  private static TestAgent.Builder planner(PlanArgs args, String settings) {
    return TestAgent.of(
            many(
                AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, args))
                    .capability(CapabilityBlueprint.of(Blueprint.of("test.notes")))))
        .types(Notes.TYPES)
        .settings(settings);
  }

  private static AgentBlueprint many(AgentBlueprint some) {
    return some.capability(ContextCapability.bind())
        .capability(MemoryCapability.bind())
        .capability(ReasoningCapability.class)
        .capability(CritiqueCapability.class)
        .capability(OutputCapability.bind());
  }

  /** So little that the lines of all actions do not fit. */
  private static final String NARROW = "colony.agent.prompt.actions = 400";

  @Test
  void withVeryManyActionsAGroupIsChosenThenAnActionThenItsParameters() {
    PlannerArgs args =
        PlannerArgs.NONE.calls(
            PlannerCalls.ALIKE.group(warm(0.1)).plan(warm(0.2)).parameters(warm(0.3)));
    model
        .expect(
            "`show_actions` describes those of groups",
            "notes_add, notes_",
            "## Actions that may serve what you are to reach\n- `notes_")
        .calls("show_actions", Map.of("groups", List.of("test.notes")));
    model
        .expect("## The actions that you asked for\n- `notes_", "- `notes_add` Stores a note.")
        .calls("take", Map.of("action", "notes_add"));
    model
        .expect("## Chosen action", "\"stars\"")
        .calls("take", Map.of("action", "notes_add", "parameters", Map.of("text", "hi")));
    model.expect("-> succeeded").complete("done");
    try (TestAgent agent =
        TestAgent.of(many(Notes.clerk(args)))
            .types(Notes.TYPES)
            .model(model)
            .settings(NARROW)
            .start()) {
      assertThat(agent.run(Map.of("goals", "Store a note")).output().asText()).isEqualTo("done");
    }
    assertThat(temperatures()).containsExactly(0.1, 0.2, 0.3, 0.1);
    assertThat(model.prompts().stream().map(Prompt::system).distinct()).hasSize(1);
    assertThat(model.prompts().stream().map(Prompt::tools).distinct()).hasSize(1);
  }

  @Test
  void aGroupThatIsNotThereIsAnsweredWithThoseThatAre() {
    model.expect("show_actions").calls("show_actions", Map.of("groups", List.of("letters")));
    model.expect("there is no group `letters`, only ", "test.notes").complete("done");
    try (TestAgent agent =
        TestAgent.of(many(Notes.clerk()))
            .types(Notes.TYPES)
            .model(model)
            .settings(NARROW)
            .start()) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
  }

  @Test
  void aPlanIsMadeOfActionsOfTheGroupsThatTheModelAsksFor() {
    ObjectNode plan = JsonNodeFactory.instance.objectNode().put("result", "$results.n.text");
    ObjectNode note = plan.putArray("actions").addObject().put("name", "n");
    note.put("action", "notes.add").putObject("parameters").put("text", "hi");
    model
        .expect(
            "`show_actions` describes those of groups",
            "notes.add, notes.",
            "## Actions that may serve what you are to reach\n- `notes.")
        .calls("show_actions", Map.of("groups", List.of("test.notes")));
    model
        .expect("## The actions that you asked for\n", "- `notes.add` Stores a note. Takes text")
        .calls("plan", plan);
    try (TestAgent agent = planner(PlanArgs.NONE, NARROW).model(model).start()) {
      assertThat(agent.run("Store a note").output().asText()).isEqualTo("hi");
    }
  }
}
