package dev.colony.replica.lexical;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Tool;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LexicalPlannerTest {

  private static final String ANSWER = "## Your answer\nWhat do you do next?";

  private static final List<Tool> ENDS =
      List.of(
          new Tool(
              "complete",
              "Ends the work.",
              json(
                  """
                  {"type": "object", "required": ["result"], "properties": {"result": {}}}
                  """)),
          new Tool("idle", "Waits.", json("{\"type\": \"object\"}")),
          new Tool("fail", "Gives up.", json("{\"type\": \"object\"}")));

  private static final List<Tool> ACTIONS =
      List.of(
          new Tool(
              "notes_write",
              "Stores a note.",
              json(
                  """
                  {"type": "object", "required": ["text"],
                   "properties": {"text": {"type": "string"}, "author": {"type": "string"}}}
                  """)),
          new Tool(
              "notes_search",
              "Finds notes that were stored.",
              json(
                  """
                  {"type": "object", "required": ["query", "limit"], "properties":
                    {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}}
                  """)));

  private static final List<Tool> TAKE =
      List.of(new Tool("take", "Takes an action.", json("{\"type\": \"object\"}")));

  private static final String LISTED =
      """
      ## Your actions
      ### notes: Keeps notes.
      - `notes_write` Stores a note.
      - `notes_search` Finds notes that were stored.
      """;

  @Test
  void theFirstGoalIsServedByTheActionThatSharesItsWords() {
    JsonNode decision =
        decide("## Goals\n- Store a note that says \"buy milk\"\n- Find the notes about bread\n\n");
    assertThat(decision)
        .isEqualTo(json("{\"action\": \"notes_write\", \"parameters\": {\"text\": \"buy milk\"}}"));
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
            - a1: `notes_write` {"text":"buy milk"} -> succeeded: "n1"

            """);
    assertThat(decision.path("action").asText()).isEqualTo("notes_search");
    assertThat(decision.at("/parameters/query").asText()).isEqualTo("Find the 5 notes about bread");
    assertThat(decision.at("/parameters/limit").asInt()).isEqualTo(5);
  }

  @Test
  void twoGoalsOfOneActionTakeItTwice() {
    String goals = "## Goals\n- Store a note: \"one\"\n- Store a note: \"two\"\n\n";
    String taken = "## Actions so far\n- a1: `notes_write` {\"text\":\"one\"} -> failed: full\n\n";
    assertThat(decide(goals, taken).at("/parameters/text").asText()).isEqualTo("two");
  }

  @Test
  void whenAllGoalsAreServedTheLastResultIsTheResultOfTheRun() {
    JsonNode decision =
        decide(
            "## Goals\n- Store a note\n\n",
            "## Actions so far\n- a1: `notes_write` {\"text\":\"x\"} -> succeeded: note n1\n\n");
    assertThat(decision)
        .isEqualTo(json("{\"action\": \"complete\", \"parameters\": {\"result\": \"note n1\"}}"));
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
  void amongManyActionsOneIsTakenByItsLineAndThenFilled() {
    String goals = "## Goals\n- Find notes\n- Store a note that says \"buy milk\"\n\n";
    String found = "## Actions so far\n- a1: `notes_search` {} -> succeeded: none\n\n";
    assertThat(decide(TAKE, List.of(LISTED, goals, found, ANSWER)))
        .isEqualTo(json("{\"action\": \"take\", \"parameters\": {\"action\": \"notes_write\"}}"));
    String chosen =
        """
        ## Chosen action
        - `notes_write` Stores a note.
        Its parameters: {"required": ["text"], "properties": {"text": {"type": "string"}}}
        """;
    assertThat(decide(TAKE, List.of(LISTED, goals, found, ANSWER + "\n\n" + chosen)))
        .isEqualTo(
            json(
                """
                {"action": "take", "parameters":
                  {"action": "notes_write", "parameters": {"text": "buy milk"}}}
                """));
  }

  @Test
  void withoutGoalsTheLastExperienceIsServed() {
    JsonNode decision = decide("## Conversation\n**User**: hi\n**User**: store my note\n\n");
    assertThat(decision.at("/parameters/text").asText()).isEqualTo("store my note");
  }

  @Test
  void whatAGoalQuotesFillsATextThatIsOptional() {
    Tool find =
        new Tool(
            "notes_find",
            "Finds notes by words.",
            json(
                """
                {"type": "object", "properties": {"limit": {"type": ["integer", "null"]},
                 "words": {"type": ["string", "null"]}, "tag": {"type": "string"}}}
                """));
    List<Tool> actions = List.of(find);
    assertThat(decide(actions, List.of("## Goals\n- Find notes with \"the ferry\"\n\n" + ANSWER)))
        .isEqualTo(
            json("{\"action\": \"notes_find\", \"parameters\": {\"words\": \"the ferry\"}}"));
    assertThat(decide(actions, List.of("## Goals\n- Find notes\n\n" + ANSWER)).path("parameters"))
        .isEmpty();
  }

  private static JsonNode decide(String... sections) {
    return decide(ACTIONS, List.of(String.join("", sections) + "\n" + ANSWER));
  }

  /** The call as a decision of an action with its parameters. */
  private static JsonNode decide(List<Tool> actions, List<String> messages) {
    List<Tool> tools = Stream.concat(actions.stream(), ENDS.stream()).toList();
    Call call =
        new LexicalModel(0)
            .call(
                LexicalPrompt.of(messages, Optional.empty()),
                new Tools(tools, new Tools.Choice.Required(), List.of()))
            .orElseThrow();
    ObjectNode decision = JsonNodeFactory.instance.objectNode().put("action", call.name());
    decision.set("parameters", call.arguments());
    return decision;
  }
}
