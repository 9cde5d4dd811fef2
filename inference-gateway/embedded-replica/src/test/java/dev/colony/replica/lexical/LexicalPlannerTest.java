package dev.colony.replica.lexical;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LexicalPlannerTest {

  private static final String ACTIONS =
      """
      ## Available actions
      ### notes: Keeps notes.
      - `notes.write` Stores a note. Parameters: text (string): what it says
      - `notes.search` Finds notes that were stored. Parameters: query (string); limit (integer)

      """;
  private static final String ANSWER = "## Your answer\nWhat is done next?";

  private static final JsonNode DECISION =
      json(
          """
          {"type": "object", "required": ["reasoning", "decision"], "properties": {
            "reasoning": {"type": "string"},
            "decision": {"anyOf": [
              {"properties": {"action": {"const": "notes.write"}, "parameters":
                {"type": "object", "required": ["text"],
                 "properties": {"text": {"type": "string"}, "author": {"type": "string"}}}}},
              {"properties": {"action": {"const": "notes.search"}, "parameters":
                {"type": "object", "required": ["query", "limit"], "properties":
                  {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}}}},
              {"properties": {"action": {"const": "complete"}, "result": {}}},
              {"properties": {"action": {"const": "idle"}}}]}}}
          """);

  @Test
  void theFirstGoalIsServedByTheActionThatSharesItsWords() {
    JsonNode decision =
        decide("## Goals\n- Store a note that says \"buy milk\"\n- Find the notes about bread\n\n");
    assertThat(decision)
        .isEqualTo(json("{\"action\": \"notes.write\", \"parameters\": {\"text\": \"buy milk\"}}"));
  }

  @Test
  void aGoalThatWasServedGivesWayToTheNext() {
    JsonNode decision =
        decide(
            """
            ## Goals
            - Store a note that says "buy milk"
            - Find the 5 notes about bread

            """,
            """
            ## Actions so far
            - a1: `notes.write` {"text":"buy milk"} -> succeeded: "n1"

            """);
    assertThat(decision.path("action").asText()).isEqualTo("notes.search");
    assertThat(decision.at("/parameters/query").asText()).isEqualTo("Find the 5 notes about bread");
    assertThat(decision.at("/parameters/limit").asInt()).isEqualTo(5);
  }

  @Test
  void twoGoalsOfOneActionTakeItTwice() {
    String goals = "## Goals\n- Store a note: \"one\"\n- Store a note: \"two\"\n\n";
    String taken = "## Actions so far\n- a1: `notes.write` {\"text\":\"one\"} -> failed: full\n\n";
    assertThat(decide(goals, taken).at("/parameters/text").asText()).isEqualTo("two");
  }

  @Test
  void whenAllGoalsAreServedTheLastResultIsTheResultOfTheRun() {
    JsonNode decision =
        decide(
            "## Goals\n- Store a note\n\n",
            "## Actions so far\n- a1: `notes.write` {\"text\":\"x\"} -> succeeded: note n1\n\n");
    assertThat(decision).isEqualTo(json("{\"action\": \"complete\", \"result\": \"note n1\"}"));
  }

  @Test
  void withoutGoalsAndExperienceItIsIdle() {
    assertThat(decide("").path("action").asText()).isEqualTo("idle");
  }

  @Test
  void whatIsGivenByNameFillsTheParameterOfThatName() {
    JsonNode decision =
        decide("## Goals\n- Store a note\n\n", "## Input\n- text: buy bread\n- author: ann\n\n");
    assertThat(decision.path("parameters"))
        .isEqualTo(json("{\"text\": \"buy bread\", \"author\": \"ann\"}"));
  }

  @Test
  void theParametersOfTheChosenActionComeFromItsGoal() {
    JsonNode schema =
        json(
            """
            {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
            """);
    JsonNode reply =
        reply(
            schema,
            "## Goals\n- Find notes\n- Store a note that says \"buy milk\"\n\n"
                + ACTIONS
                + "## Chosen action\n- `notes.write` Stores a note.\n\n"
                + ANSWER);
    assertThat(reply).isEqualTo(json("{\"text\": \"buy milk\"}"));
  }

  @Test
  void withoutGoalsTheLastExperienceIsServed() {
    JsonNode decision = decide("## Conversation\n**User**: hi\n**User**: store my note\n\n");
    assertThat(decision.at("/parameters/text").asText()).isEqualTo("store my note");
  }

  private static JsonNode decide(String... sections) {
    return reply(DECISION, String.join("", sections) + ACTIONS + ANSWER).path("decision");
  }

  private static JsonNode reply(JsonNode schema, String request) {
    return json(new LexicalModel(0).reply(LexicalPrompt.of(List.of(request), Optional.of(schema))));
  }
}
