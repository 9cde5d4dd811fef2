package dev.colony.replica;

import static dev.colony.replica.HttpDriver.json;
import static dev.colony.replica.HttpDriver.parsed;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ToolsTest {

  private static final String TOOLS =
      """
      [{"type": "function", "function": {"name": "notes_write",
        "description": "Stores a note.",
        "parameters": {"type": "object", "required": ["text"],
          "properties": {"text": {"type": "string", "description": "what it says"}}}}},
       {"type": "function", "function": {"name": "notes_search",
        "description": "Finds notes that were stored.",
        "parameters": {"type": "object", "required": ["query", "limit"],
          "properties": {"query": {"type": "string"},
                         "limit": {"type": "integer", "minimum": 1}}}}}]
      """;

  private static EmbeddedReplica replica;
  private static HttpDriver http;

  @BeforeAll
  static void start() {
    replica = Replicas.start();
    http = new HttpDriver(replica.uri());
  }

  @AfterAll
  static void stop() {
    http.close();
    replica.close();
  }

  @Test
  void theToolThatSharesTheWordsOfTheRequestIsCalled() {
    JsonNode choice = choice(ask("Please store a note that says \"buy milk\"."));
    assertThat(choice.path("finish_reason").asText()).isEqualTo("tool_calls");
    assertThat(choice.at("/message/content").isNull()).isTrue();
    JsonNode call = choice.at("/message/tool_calls/0");
    assertThat(call.path("id").asText()).startsWith("chatcmpl-tool-");
    assertThat(call.path("type").asText()).isEqualTo("function");
    assertThat(call.at("/function/name").asText()).isEqualTo("notes_write");
    assertThat(parsed(call.at("/function/arguments").asText()))
        .isEqualTo(parsed("{\"text\": \"buy milk\"}"));
  }

  @Test
  void aStreamedCallHasItsNameFirstAndItsArgumentsInPieces() {
    ObjectNode body = ask("Please store a note that says \"" + "buy milk and ".repeat(8) + "\".");
    JsonNode whole = choice(body.deepCopy()).at("/message/tool_calls/0/function");

    List<JsonNode> deltas =
        http.stream(body).stream().map(event -> event.at("/choices/0")).toList();

    assertThat(deltas.getFirst().at("/delta/role").asText()).isEqualTo("assistant");
    JsonNode first = deltas.get(1).at("/delta/tool_calls/0");
    assertThat(first.path("index").asInt()).isZero();
    assertThat(first.path("id").asText()).isNotBlank();
    assertThat(first.at("/function/name")).isEqualTo(whole.path("name"));
    List<JsonNode> rest = deltas.subList(2, deltas.size() - 1);
    assertThat(rest).hasSizeGreaterThan(1);
    StringBuilder arguments = new StringBuilder(first.at("/function/arguments").asText());
    for (JsonNode delta : rest) {
      JsonNode call = delta.at("/delta/tool_calls/0");
      assertThat(call.has("id")).isFalse();
      arguments.append(call.at("/function/arguments").asText());
    }
    assertThat(arguments).hasToString(whole.path("arguments").asText());
    assertThat(deltas.getLast().path("finish_reason").asText()).isEqualTo("tool_calls");
  }

  @Test
  void toAnAgentThatPlansItSaysThatThatNeedsAModel() {
    ObjectNode body = ask("Please store a note that says \"buy milk\".");
    for (String end : List.of("complete", "idle", "fail")) {
      body.withArray("tools")
          .addObject()
          .put("type", "function")
          .putObject("function")
          .put("name", end);
    }
    JsonNode call = choice(body).at("/message/tool_calls/0/function");
    assertThat(call.path("name").asText()).isEqualTo("fail");
    assertThat(parsed(call.path("arguments").asText()).path("reason").asText())
        .contains("planning needs a model", "--model-url");
  }

  @Test
  void aRequestThatSharesNoWordsIsAnsweredInText() {
    ObjectNode body = ask("Zebras?");
    JsonNode choice = choice(body);
    assertThat(choice.at("/message/tool_calls")).isEmpty();
    assertThat(choice.path("finish_reason").asText()).isEqualTo("stop");
  }

  @Test
  void aRequiredToolIsCalledInAnyCase() {
    JsonNode choice = choice(ask("Zebras?").put("tool_choice", "required"));
    assertThat(choice.path("finish_reason").asText()).isEqualTo("tool_calls");
    assertThat(choice.at("/message/tool_calls")).hasSize(1);
  }

  @Test
  void theToolThatIsNamedIsCalled() {
    ObjectNode body = ask("Please store a note that mentions 7 goats.");
    body.putObject("tool_choice")
        .put("type", "function")
        .putObject("function")
        .put("name", "notes_search");
    JsonNode choice = choice(body);
    assertThat(choice.path("finish_reason").asText()).isEqualTo("stop");
    JsonNode function = choice.at("/message/tool_calls/0/function");
    assertThat(function.path("name").asText()).isEqualTo("notes_search");
    assertThat(parsed(function.path("arguments").asText()).path("limit").asInt()).isEqualTo(7);
  }

  @Test
  void noToolIsCalledWhereNoneMayBe() {
    JsonNode choice = choice(ask("Please store a note.").put("tool_choice", "none"));
    assertThat(choice.at("/message/tool_calls")).isEmpty();
  }

  @Test
  void aNamedToolThatIsNotOfferedIsRefused() {
    ObjectNode body = ask("Please store a note.");
    body.putObject("tool_choice").put("type", "function").putObject("function").put("name", "x");
    assertThat(http.chat(body.toString()).statusCode()).isEqualTo(400);
  }

  @Test
  void afterItsCallTheResultIsTheAnswer() {
    ObjectNode body = ask("Please store a note that says \"buy milk\".");
    called(body, "Stored as note 17.");
    JsonNode choice = choice(body);
    assertThat(choice.at("/message/tool_calls")).isEmpty();
    assertThat(choice.at("/message/content").asText()).contains("note 17");
  }

  @Test
  void thePointsOfARequestAreServedOneAfterTheOther() {
    ObjectNode body = ask("Do this:\n- Store a note: \"one\"\n- Find 5 notes that were stored");
    called(body, "Stored as note 17.");
    JsonNode function = choice(body).at("/message/tool_calls/0/function");
    assertThat(function.path("name").asText()).isEqualTo("notes_search");
    assertThat(parsed(function.path("arguments").asText()).path("limit").asInt()).isEqualTo(5);
    called(body, "[\"one\"]");
    assertThat(choice(body).at("/message/tool_calls")).isEmpty();
  }

  @Test
  void toolsAndCallsTakeTokensOfThePrompt() {
    ObjectNode with = ask("Please store a note.");
    ObjectNode without = with.deepCopy();
    without.remove("tools");
    assertThat(promptTokens(with)).isGreaterThan(promptTokens(without) + 50);
    int before = promptTokens(with);
    called(with, "Stored.");
    assertThat(promptTokens(with)).isGreaterThan(before + 10);
  }

  private static ObjectNode ask(String request) {
    ObjectNode body = Prompts.prompt(request);
    body.set("tools", parsed(TOOLS));
    return body;
  }

  /** Asks, and adds the call and its result to the messages. */
  private static void called(ObjectNode body, String result) {
    JsonNode message = choice(body).path("message");
    ArrayNode messages = (ArrayNode) body.get("messages");
    messages.add(message);
    messages
        .addObject()
        .put("role", "tool")
        .put("tool_call_id", message.at("/tool_calls/0/id").asText())
        .put("content", result);
  }

  private static JsonNode choice(ObjectNode body) {
    JsonNode root = json(http.chat(body.toString()));
    assertThat(root.path("choices")).as(root.toString()).hasSize(1);
    return root.at("/choices/0");
  }

  private static int promptTokens(ObjectNode body) {
    return json(http.chat(body.toString())).at("/usage/prompt_tokens").asInt();
  }
}
