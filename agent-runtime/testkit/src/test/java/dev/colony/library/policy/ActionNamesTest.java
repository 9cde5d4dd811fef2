package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In one prompt an action has one name; the model may give it in another spelling. */
class ActionNamesTest {

  /** A capability whose actions are named after it. */
  @Registered(value = "demo.desk", summary = "A desk.")
  public static final class Desk extends AgentCapability {

    public Desk(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Counts papers. Burn them with demo.desk.burn.")
    int count(@Param("how many to begin with, as demo.desk.count gave") int from) {
      return from + 1;
    }

    @ActionExecutor(summary = "Burns a paper.")
    String burn(@Param("which") String paper) {
      throw new IllegalStateException("burn it with demo.desk.burn in the stove");
    }
  }

  static final TypeProvider TYPES = types -> types.add(Desk.class);

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private static AgentBlueprint desk(Blueprint policy) {
    return AgentBlueprint.of(policy)
        .capability(CapabilityBlueprint.of(Blueprint.of("demo.desk")))
        .stream(
            ConsciousnessStream.bind("deeds", JSONStreamFormatter.bind("## Deeds"))
                .actions(ActionKeySubstringFilter.bind("demo.desk")));
  }

  private AgentRun run(AgentBlueprint blueprint, String settings) {
    try (TestAgent agent =
        TestAgent.of(blueprint).types(TYPES).model(model).settings(settings).start()) {
      agent.run(Map.of("goals", "Burn paper x"));
      return agent.run(Map.of("goals", "Burn paper x again"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1})
  void aModelThatCallsToolsReadsTheNamesOfToolsEverywhere(int most) {
    PlannerArgs args = PlannerArgs.NONE.role("You count with demo.desk.count.");
    model.withoutTools();
    String burn = "{\"calls\": [{\"tool\": \"%s\", \"arguments\": %s}]}";
    String paper = "{\"paper\": \"x\"}";
    model
        .expect("## Goals", "a1.")
        .answer(
            most == 1
                ? burn.formatted(
                    "take", "{\"action\": \"demo.desk.burn\", \"parameters\": " + paper + "}")
                : burn.formatted("demo.desk.burn", paper))
        .times(2);
    model
        .expect("- a1: `demo_desk_burn`")
        .answer(burn.formatted("complete", "{\"result\": \"done\"}"))
        .times(2);
    AgentRun run =
        run(
            desk(Blueprint.bind(MinimalActionPolicy.class, args)),
            "colony.agent.policy.two-phase-above = " + most);
    assertThat(run.output().asText()).isEqualTo("done");
    assertThat(model.prompts().getLast().text())
        .contains("You count with demo_desk_count.")
        .contains("Counts papers. Burn them with demo_desk_burn.")
        .contains("-> failed: burn it with demo_desk_burn in the stove")
        .contains("## Deeds\n- demo_desk_burn (failed): burn it with demo_desk_burn in the stove")
        .doesNotContain("demo.desk.");
  }

  @Test
  void aModelThatPlansReadsKeysEverywhere() {
    var plan = JsonNodeFactory.instance.objectNode();
    plan.putArray("actions")
        .addObject()
        .put("name", "a")
        .put("action", "demo_desk_count")
        .putObject("parameters")
        .put("from", 1);
    model.expect("Plan how").calls("plan", plan).times(2);
    model
        .expect("- a [done] `demo.desk.count`", "- a: `demo.desk.count` {\"from\":1} -> succeeded")
        .calls("complete", Map.of("result", "done"))
        .times(2);
    AgentRun run = run(desk(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE)), "{}");
    assertThat(run.output().asText()).isEqualTo("done");
    assertThat(model.prompts().getLast().text())
        .contains("## Deeds\n- demo.desk.count: 2")
        .doesNotContain("demo_desk");
  }

  @Test
  void anActionThatIsDroppedIsNamedAsItsToolIs() {
    model
        .expect("## Goals", "a1.")
        .calls("demo.desk.burn", Map.of("paper", "x"), "demo.desk.count", Map.of("from", 1))
        .times(2);
    model.expect("did not succeed: demo_desk_count").complete("done").times(2);
    run(desk(Blueprint.bind(MinimalActionPolicy.class, PlannerArgs.NONE)), "{}");
    assertThat(List.copyOf(model.prompts()).getLast().text()).doesNotContain("demo.desk.");
  }
}
