package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.JsonValues;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A field that no schema has is refused by name, and never dropped in silence. */
class StrictRepliesTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(AgentBlueprint blueprint, String settings) {
    return TestAgent.of(blueprint)
        .types(Notes.TYPES)
        .model(model)
        .settings(settings.isEmpty() ? "{}" : settings)
        .start();
  }

  private static AgentBlueprint planner() {
    return AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE))
        .capability(CapabilityBlueprint.of(Blueprint.of("test.notes")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"actions": [{"name": "a", "action": "notes.report", "expects": {"count": 3}}]} | \
          unknown field `actions[0].expects.count`; it has the fields words (text, at most 500 characters, optional): what you expect
          {"actions": [{"name": "a", "action": "notes.report", "expects": {"word": "x"}}]} | \
          unknown field `actions[0].expects.word`; did you mean `actions[0].expects.words`?
          {"actions": [{"name": "a", "action": "notes.report", "expects": {"words": {"max": 3}}}]} | \
          `actions[0].expects.words` is a text, not {"max":3}
          {"actions": [{"name": "a", "action": "notes.report", "expect": "x"}]} | \
          unknown field `actions[0].expect`; did you mean `actions[0].expects`?
          {"actions": [{"name": "a", "action": "notes.report"}], "expects": "x"} | \
          unknown field `expects`; did you mean `actions[0].expects`?
          {"actions": [{"name": "a", "action": "notes.report", "undo": {"action": "notes.report", "params": {}}}]} | \
          unknown field `actions[0].undo.params`
          {"actions": [{"name": "a", "action": "notes.report", "cost": "little"}]} | \
          `actions[0].cost` is a whole number, not "little"
          {"actions": [{"name": "a", "action": "notes.report", "aggregates": [1]}]} | \
          `actions[0].aggregates` is true or false, not [1]
          {"actions": [{"name": "a", "action": "notes.report"}], "alternatives": [{"actions": [], "resullt": 1}]} | \
          unknown field `alternatives[0].resullt`; did you mean `alternatives[0].result`?
          {"actions": [{"name": "a", "action": "notes.report"}], "variables": [1]} | \
          `variables` is an object, not [1]
          """)
  void aPlanWithAFieldThatThereIsNotIsRefused(String plan, String told) throws Exception {
    model.expect("Plan how").calls("plan", JsonValues.parse(plan));
    model.expect("This reply is not as it has to be: ", told).giveUp("told");
    try (TestAgent agent = agent(planner(), "")) {
      assertThat(agent.run("Greet").error().orElseThrow()).contains("told");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          idle | {"until": "noon"} | `idle`: unknown field `until`; it has no fields
          fail | {"reson": "x"} | `fail`: unknown field `reson`; did you mean `reason`?
          complete | {"result": 1, "learnt": []} | `complete`: unknown field `learnt`; did you mean `learned`?
          complete | {"result": 1, "exports": [1]} | `complete`: `exports` is an object, not [1]
          go_on | {"why": "x"} | `go_on`: unknown field `why`; it has no fields
          escalate | {"question": "x", "to": "y"} | `escalate`: unknown field `to`
          """)
  void anEndWithAFieldThatThereIsNotIsRefused(String tool, String arguments, String told)
      throws Exception {
    boolean plans = List.of("go_on", "escalate").contains(tool);
    if (plans) {
      model
          .expect("Plan how")
          .calls(
              "plan",
              JsonValues.parse(
                  "{\"actions\": [%s]}"
                      .formatted(
                          "{\"name\": \"a\", \"action\": \"notes.burn\", \"parameters\": {\"text\":"
                              + " \"x\"}}")));
      model.expect("What do you do about it?").calls(tool, JsonValues.parse(arguments));
    } else {
      model.expect("## Goals").calls(tool, JsonValues.parse(arguments));
    }
    model.expect("This reply is not as it has to be: ", told).giveUp("told");
    try (TestAgent agent = agent(plans ? planner() : Notes.clerk(), "")) {
      assertThat(agent.run("Greet").error().orElseThrow()).contains("told");
    }
  }

  @Test
  void aCallOfOneOfManyActionsWithItsParametersInTheWrongPlaceIsRefused() {
    model.expect("## Goals").calls("take", Map.of("action", "notes_add", "text", "hi"));
    model
        .expect("`take`: unknown field `text`; it has the fields action", "parameters")
        .giveUp("told");
    try (TestAgent agent = agent(Notes.clerk(), "colony.agent.policy.two-phase-above = 2")) {
      assertThat(agent.run("Greet").error().orElseThrow()).contains("told");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 2})
  void noSchemaThatIsSentLeavesRoomForOtherFields(int most) {
    model.expect("## Goals").giveUp("enough").times(2);
    String settings = "colony.agent.policy.two-phase-above = " + most;
    for (AgentBlueprint one : List.of(Notes.clerk(), planner())) {
      try (TestAgent agent = agent(one, settings)) {
        agent.run("Greet");
      }
    }
    List<String> open = new ArrayList<>();
    model
        .prompts()
        .forEach(prompt ->
            prompt
                .tools()
                .forEach(tool -> open(tool.path("name").asText(), tool.path("parameters"), open)));
    assertThat(open).isEmpty();
  }

  /**
   * Objects that say which fields they have, or that they have none, but not that these are all.
   */
  private static void open(String at, JsonNode schema, List<String> open) {
    boolean closed =
        schema.path("additionalProperties").isBoolean()
            && !schema.path("additionalProperties").booleanValue();
    if (schema.has("properties") && !closed) {
      open.add(at);
    }
    schema
        .path("properties")
        .properties()
        .forEach(one -> open(at + "." + one.getKey(), one.getValue(), open));
    if (schema.has("items")) {
      open(at + "[]", schema.path("items"), open);
    }
  }
}
