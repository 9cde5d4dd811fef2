package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.USAGE;
import static dev.colony.server.http.ScriptedModel.delta;
import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.text;
import static dev.colony.server.http.ScriptedModel.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.http.ScriptedModel.Script;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Anthropic's messages over a model server that answers by script. */
class AnthropicMessagesTest extends OpenAiFixture {

  private static final String MESSAGES = "/v1/messages";

  private static final String ASK =
      "\"model\": \"scripted-1\", \"max_tokens\": 50, \"messages\": [{\"role\": \"user\","
          + " \"content\": \"What is a bow?\"}]";

  /** As what the model says has thoughts, and asks for a tool. */
  private static final Script TOOL =
      (body, out) -> {
        events(
            out,
            delta("{\"reasoning_content\":\"I look it up.\"}", ""),
            text("A moment."),
            delta(
                "{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
                    + "\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"term\\\":\"}}]}",
                ""),
            delta(
                "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"bow\\\"}\"}}]}",
                ""),
            delta("{}", "tool_calls"),
            USAGE,
            "[DONE]");
        return false;
      };

  private static final String LOOK =
      """
      , "tools": [{"name": "look", "description": "Looks up.", "input_schema":
        {"type": "object", "properties": {"term": {"type": "string"}}}}]\
      """;

  @Test
  void aMessageIsThatOfTheModelAndItsServerIsAskedInItsOwnProtocol() {
    Reply reply =
        client
            .post(
                MESSAGES + "?beta=true",
                """
                {"model": "scripted-1", "max_tokens": 99, "temperature": 0.5, "top_k": 40,
                 "stop_sequences": ["END"], "metadata": {"user_id": "u"},
                 "thinking": {"type": "disabled"}, "output_config": {"effort": "low"},
                 "system": [{"type": "text", "text": "Be short.",
                             "cache_control": {"type": "ephemeral"}}],
                 "messages": [
                   {"role": "user", "content": [{"type": "text", "text": "What"},
                                                {"type": "text", "text": "is a bow?"}]},
                   {"role": "assistant", "content": [
                     {"type": "thinking", "thinking": "hm", "signature": "s"},
                     {"type": "text", "text": "A moment."},
                     {"type": "tool_use", "id": "c1", "name": "look", "input": {"term": "bow"}},
                     {"type": "tool_use", "id": "c2", "name": "look", "input": {}}]},
                   {"role": "user", "content": [
                     {"type": "tool_result", "tool_use_id": "c1", "content": "found"},
                     {"type": "tool_result", "tool_use_id": "c2", "is_error": true,
                      "content": [{"type": "text", "text": "no term"}]},
                     {"type": "text", "text": "Well?"}]},
                   {"role": "system", "content": "Answer in English."}],
                 "tool_choice": {"type": "auto", "disable_parallel_tool_use": true}%s}
                """
                    .formatted(LOOK))
            .is(200);
    JsonNode message = reply.json();
    assertThat(message.path("type").asText()).isEqualTo("message");
    assertThat(message.path("role").asText()).isEqualTo("assistant");
    assertThat(message.path("content"))
        .hasToString("[{\"type\":\"text\",\"text\":\"the front of a ship\"}]");
    assertThat(message.path("stop_reason").asText()).isEqualTo("end_turn");
    assertThat(message.path("usage"))
        .hasToString(
            "{\"input_tokens\":4,\"cache_creation_input_tokens\":0,"
                + "\"cache_read_input_tokens\":16,\"output_tokens\":5}");

    JsonNode call = model.call();
    assertThat(
            call.path("messages")
                .valueStream()
                .map(one -> one.path("role").asText() + ": " + one.path("content").asText()))
        .containsExactly(
            "system: Be short.",
            "user: What\nis a bow?",
            "assistant: A moment.",
            "tool: found",
            "tool: error: no term",
            "user: Well?",
            "system: Answer in English.");
    assertThat(call.at("/messages/2/tool_calls/0/function/arguments").asText())
        .isEqualTo("{\"term\":\"bow\"}");
    assertThat(call.at("/tools/0/function/parameters/properties/term/type").asText())
        .isEqualTo("string");
    assertThat(call.path("max_tokens").asInt()).isEqualTo(99);
    assertThat(call.path("temperature").asDouble()).isEqualTo(0.5);
    assertThat(call.path("top_k").asInt()).isEqualTo(40);
    assertThat(call.path("stop")).hasToString("[\"END\"]");
    assertThat(call.path("reasoning_effort").asText()).isEqualTo("low");
    assertThat(call.path("tool_choice").asText("auto")).isEqualTo("auto");
    assertThat(call.path("parallel_tool_calls")).hasToString("false");
    for (String own : List.of("system", "stop_sequences", "metadata", "thinking")) {
      assertThat(call.has(own)).as(own).isFalse();
    }
  }

  @Test
  void theEventsOfAMessageComeInOrder() {
    List<String> lines = lines(MESSAGES, ASK + ", \"stream\": true");
    assertThat(named(lines))
        .containsExactly(
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop");
    List<JsonNode> events = data(lines);
    assertThat(events.stream().map(event -> event.path("type").asText()))
        .containsExactlyElementsOf(named(lines));
    assertThat(events.getFirst().at("/message/model").asText()).isEqualTo(ScriptedModel.NAME);
    assertThat(events.getFirst().at("/message/content")).isEmpty();
    assertThat(events.get(2).path("delta"))
        .hasToString("{\"type\":\"text_delta\",\"text\":\"the front\"}");
    assertThat(events.get(5).at("/delta/stop_reason").asText()).isEqualTo("end_turn");
    assertThat(events.get(5).at("/usage/cache_read_input_tokens").asInt()).isEqualTo(16);
    assertThat(events.get(5).at("/usage/output_tokens").asInt()).isEqualTo(5);
  }

  @Test
  void toolCallsAndThoughtsAreBlocksOfAMessage() {
    model.script(TOOL);
    String thinking = ", \"thinking\": {\"type\": \"enabled\", \"budget_tokens\": 1024}";
    JsonNode message = client.post(MESSAGES, "{" + ASK + thinking + LOOK + "}").is(200).json();
    assertThat(message.path("stop_reason").asText()).isEqualTo("tool_use");
    assertThat(message.path("content"))
        .hasToString(
            "[{\"type\":\"thinking\",\"thinking\":\"I look it"
                + " up.\",\"signature\":\"\"},{\"type\":\"text\",\"text\":\"A moment.\"},"
                + "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"look\",\"input\":{\"term\":\"bow\"}}]");
    assertThat(model.call().path("tool_choice").asText()).isEqualTo("auto");
    List<JsonNode> events =
        data(
            lines(
                MESSAGES,
                ASK
                    + thinking
                    + LOOK
                    + ", \"stream\": true, \"tool_choice\": {\"type\": \"any\"}"));
    assertThat(model.call().path("tool_choice").asText()).isEqualTo("required");
    assertThat(
            events.stream()
                .filter(event -> event.path("type").asText().equals("content_block_start"))
                .map(event ->
                    event.path("index").asInt() + event.at("/content_block/type").asText()))
        .containsExactly("0thinking", "1text", "2tool_use");
    assertThat(events.stream().map(event -> event.at("/delta/partial_json").asText("")))
        .contains("{\"term\":\"bow\"}");
    assertThat(events.stream().map(event -> event.at("/delta/thinking").asText("")))
        .contains("I look it up.");
  }

  /** Else a client that takes the first block for the text would find none. */
  @Test
  void thoughtsAreShownOnlyToThoseWhoAskForThem() {
    model.script(TOOL);
    for (String thinking :
        List.of("", ", \"thinking\": {\"type\": \"disabled\"}", ", \"thinking\": null")) {
      JsonNode message = client.post(MESSAGES, "{" + ASK + thinking + LOOK + "}").is(200).json();
      assertThat(message.at("/content/0/type").asText()).as(thinking).isEqualTo("text");
      List<JsonNode> events = data(lines(MESSAGES, ASK + thinking + LOOK + ", \"stream\": true"));
      assertThat(events.get(1).at("/content_block/type").asText()).isEqualTo("text");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          max_tokens is missing | "max_tokens": null
          max_tokens must be an integer of 1 to 2147483647 | "max_tokens": 0
          model is missing | "model": null
          messages must have at least one message | "messages": []
          messages[0].content is missing | "messages": [{"role": "user"}]
          messages[0].role is clown, but must be user, assistant or system | "messages": [{"role": "clown", "content": []}]
          messages[0].content[0].type is image, which is not served of the role user | "messages": [{"role": "user", "content": [{"type": "image"}]}]
          messages[0].content[0].type is tool_use, which is not served of the role user | "messages": [{"role": "user", "content": [{"type": "tool_use"}]}]
          messages[0].content[0].tool_use_id is missing | "messages": [{"role": "user", "content": [{"type": "tool_result"}]}]
          messages[0].content[0].input is missing | "messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f"}]}]
          tools[0].type is bash_20250124, but only the caller's own tools are served: leave the type out | "tools": [{"type": "bash_20250124", "name": "bash"}]
          tool_choice wants a tool, but tools has none | "tool_choice": {"type": "any"}
          tool_choice.type must be auto, any, tool or none | "tool_choice": {"type": "required"}
          mcp_servers is not served: give an agent the capability mcp | "mcp_servers": [{"url": "u"}]
          stop_sequences must be at most 4 texts, none of them empty | "stop_sequences": [""]
          """)
  void whatCannotBeServedIsRefusedByItsField(String message, String field) {
    String name = field.split("\"")[1];
    StringBuilder body = new StringBuilder(field);
    Map<String, String> usual =
        Map.of(
            "model", "\"scripted-1\"",
            "max_tokens", "9",
            "messages", "[{\"role\": \"user\", \"content\": \"a\"}]");
    usual.forEach(
        (key, value) -> body.append(key.equals(name) ? "" : ", \"%s\": %s".formatted(key, value)));
    JsonNode json = client.post(MESSAGES, "{" + body + "}").is(400).json();
    assertThat(json.path("type").asText()).isEqualTo("error");
    assertThat(json.at("/error/type").asText()).isEqualTo("invalid_request_error");
    assertThat(json.at("/error/message").asText()).isEqualTo(message);
    assertThat(model.calls).isEmpty();
  }

  @Test
  void whatFailsHasAnthropicsForm() {
    Reply absent = client.post(MESSAGES, "{" + ASK.replace(ScriptedModel.NAME, "other") + "}");
    absent.problem(404, "model-not-found");
    assertThat(absent.json().at("/error/type").asText()).isEqualTo("not_found_error");
    Reply path = client.post(MESSAGES + "/batches", "{}");
    path.problem(404, "not-found");
    assertThat(path.json().at("/error/message").asText()).contains("/v1/messages");
    client.post(MESSAGES, "{").problem(400, "bad-request");
    model.script((body, out) -> {
      whole(out, 429, Map.of("Retry-After", "7"), "{\"error\": {\"message\": \"slow down\"}}");
      return false;
    });
    for (String stream : List.of("true", "false")) {
      Reply busy = client.post(MESSAGES, "{" + ASK + ", \"stream\": " + stream + "}");
      busy.problem(429, "rate-limit-exceeded");
      assertThat(busy.headers()).containsEntry("Retry-After", "7");
      assertThat(busy.json().at("/error/type").asText()).isEqualTo("rate_limit_error");
    }
    rig.serve(Optional.empty());
    Reply none = client.post(MESSAGES, "{" + ASK + "}").problem(503, "model-unavailable");
    assertThat(none.json().at("/error/type").asText()).isEqualTo("api_error");
  }

  @Test
  void aStreamThatBreaksOffAfterItsFirstPartEndsWithTheError() {
    model.script((body, out) -> {
      events(out, text("the front"));
      return false;
    });
    List<String> lines = lines(MESSAGES, ASK + ", \"stream\": true");
    assertThat(named(lines))
        .containsExactly("message_start", "content_block_start", "content_block_delta", "error");
    assertThat(data(lines).getLast().at("/error/details/error_code").asText())
        .isEqualTo("reply_broken_off");
  }

  @Test
  void tokensAreCountedWithoutAModelServer() {
    String ask =
        "{\"model\": \"scripted-1\", %s\"messages\": [{\"role\": \"user\", \"content\":"
            + " \"%s\"}]%s}";
    long few = tokens(ask.formatted("", "x".repeat(400), ""));
    assertThat(few).isBetween(80L, 120L);
    assertThat(tokens(ask.formatted("", "x", ""))).isEqualTo(1);
    assertThat(
            tokens(
                ask.formatted(
                    "\"system\": \"%s\", ".formatted("y".repeat(400)), "x".repeat(400), LOOK)))
        .isGreaterThan(few + 100);
    client.post(MESSAGES + "/count_tokens", "{\"model\": \"m\"}").problem(400, "invalid-value");
    assertThat(model.calls).isEmpty();
  }

  private long tokens(String body) {
    return client
        .post(MESSAGES + "/count_tokens", body)
        .is(200)
        .json()
        .path("input_tokens")
        .asLong();
  }

  private static List<String> named(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("event: "))
        .map(line -> line.substring(7))
        .toList();
  }

  private static List<JsonNode> data(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("data: "))
        .map(line -> ApiClient.parse(line.substring(6)))
        .toList();
  }
}
