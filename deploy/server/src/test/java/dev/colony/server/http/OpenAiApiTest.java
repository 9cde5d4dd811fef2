package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.USAGE;
import static dev.colony.server.http.ScriptedModel.delta;
import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.more;
import static dev.colony.server.http.ScriptedModel.text;
import static dev.colony.server.http.ScriptedModel.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.access.AccessSettings;
import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.http.ScriptedModel.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OpenAI's protocols over a model server that answers by script. */
class OpenAiApiTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String RESPONSES = "/v1/responses";
  private static final String ABSENT = "bbbbbbbbbbbbbbbbbbbbbbbbbb";

  private static final Script SHIP =
      (body, out) -> {
        events(
            out,
            delta("{\"role\":\"assistant\",\"content\":\"the front\"}", ""),
            text(" of a ship"),
            delta("{}", "stop"),
            USAGE,
            "[DONE]");
        return false;
      };

  private static OpenAiRig rig;
  private final ApiClient client = ApiClient.of(rig.api());
  private ScriptedModel model;

  @BeforeAll
  static void start() {
    rig = new OpenAiRig(AccessSettings.OPEN);
  }

  @AfterAll
  static void end() {
    rig.close();
  }

  @BeforeEach
  void serve() {
    model = new ScriptedModel(SHIP);
    rig.serve(Optional.of(model));
  }

  @AfterEach
  void unserve() {
    rig.serve(Optional.empty());
    model.close();
  }

  @Test
  void aCompletionIsThatOfTheModelAndFieldsThatAreNotKnownReachItsServer() {
    Reply reply =
        client
            .post(
                CHAT,
                """
                {"model": "scripted-1", "temperature": 0.5, "seed": 7, "stop": "END",
                 "max_completion_tokens": 99, "reasoning_effort": "low", "repetition_penalty": 1.1,
                 "chat_template_kwargs": {"enable_thinking": false}, "prompt_cache_key": "k",
                 "messages": [
                   {"role": "system", "content": "Be short."},
                   {"role": "user", "content": [{"type": "text", "text": "What"},
                                                {"type": "text", "text": "is a bow?"}]},
                   {"role": "assistant", "content": null, "refusal": null, "tool_calls": [
                     {"id": "c1", "type": "function",
                      "function": {"name": "look", "arguments": "{\\"term\\": \\"bow\\"}"}}]},
                   {"role": "tool", "tool_call_id": "c1", "content": "found"},
                   {"role": "system", "content": "Answer in English."},
                   {"role": "user", "content": "Well?"}],
                 "tools": [{"type": "function", "function": {"name": "look",
                    "parameters": {"type": "object",
                                   "properties": {"term": {"type": "string"}}}}}],
                 "tool_choice": "none", "parallel_tool_calls": false,
                 "colony": {"pages": ["%s"]}}
                """
                    .formatted(OpenAiRig.PAGE))
            .is(200);

    JsonNode choice = reply.json().path("choices").path(0);
    assertThat(choice.path("message").path("content").asText()).isEqualTo("the front of a ship");
    assertThat(choice.path("finish_reason").asText()).isEqualTo("stop");
    JsonNode usage = reply.json().path("usage");
    assertThat(usage.path("total_tokens").asInt()).isEqualTo(25);
    assertThat(usage.path("prompt_tokens_details").path("cached_tokens").asInt()).isEqualTo(16);
    assertThat(reply.headers()).containsKey("x-request-id");

    JsonNode call = model.call();
    List<String> said = new ArrayList<>();
    call.path("messages")
        .forEach(one -> said.add(one.path("role").asText() + ": " + one.path("content").asText()));
    assertThat(said)
        .containsExactly(
            "system: Be short.",
            "user: === ship.txt",
            "user: What\nis a bow?",
            "assistant: ",
            "tool: found",
            "system: Answer in English.",
            "user: Well?");
    assertThat(call.path("temperature").asDouble()).isEqualTo(0.5);
    assertThat(call.path("seed").asInt()).isEqualTo(7);
    assertThat(call.path("stop")).hasToString("[\"END\"]");
    assertThat(call.path("reasoning_effort").asText()).isEqualTo("low");
    assertThat(call.path("repetition_penalty").asDouble()).isEqualTo(1.1);
    assertThat(call.path("chat_template_kwargs")).hasToString("{\"enable_thinking\":false}");
    assertThat(call.path("prompt_cache_key").asText()).isEqualTo("k");
    assertThat(call.path("parallel_tool_calls")).hasToString("false");
    assertThat(call.path("tool_choice").asText()).isEqualTo("none");
    assertThat(call.has("colony")).isFalse();
    assertThat(call.path("max_tokens").asInt() + call.path("max_completion_tokens").asInt())
        .isEqualTo(99);
  }

  @Test
  void whatARequestDoesNotSayIsNotSentButTheBoundOfTheReply() {
    client
        .post(
            CHAT,
            "{\"model\": \"scripted-1\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}")
        .is(200);
    JsonNode call = model.call();
    assertThat(call.has("temperature")).isFalse();
    assertThat(call.path("max_tokens").asInt()).isEqualTo(8192);
  }

  @Test
  void aStreamHasTheTextAsItComesTheFinishTheUsageAndItsEnd() {
    List<String> data = stream(CHAT, ask("\"stream_options\": {\"include_usage\": true}"));
    assertThat(data).last().isEqualTo("[DONE]");
    List<JsonNode> chunks =
        data.subList(0, data.size() - 1).stream().map(ApiClient::parse).toList();
    assertThat(chunks)
        .allMatch(chunk -> chunk.path("object").asText().equals("chat.completion.chunk"))
        .allMatch(chunk -> chunk.path("model").asText().equals(ScriptedModel.NAME));
    assertThat(chunks.getFirst().path("choices").path(0).path("delta").path("role").asText())
        .isEqualTo("assistant");
    assertThat(contents(chunks)).containsExactly("the front", " of a ship");
    assertThat(chunks.get(2).path("choices").path(0).path("finish_reason").asText())
        .isEqualTo("stop");
    assertThat(chunks.getLast().path("choices")).isEmpty();
    assertThat(chunks.getLast().path("usage").path("prompt_tokens").asInt()).isEqualTo(20);
  }

  private static List<String> contents(List<JsonNode> chunks) {
    return chunks.stream()
        .map(chunk -> chunk.path("choices").path(0).path("delta").path("content").asText(""))
        .filter(text -> !text.isEmpty())
        .toList();
  }

  @Test
  void toolCallsOfAStreamComeWholeAndChecked() {
    model.script((body, out) -> {
      events(
          out,
          delta(
              "{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
                  + "\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"term\\\":\"}}]}",
              ""),
          delta(
              "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"bow\\\"}\"}}]}", ""),
          delta("{}", "tool_calls"),
          USAGE,
          "[DONE]");
      return false;
    });
    List<String> data =
        stream(
            CHAT,
            ask(
                """
                "tools": [{"type": "function", "function": {"name": "look", "parameters":
                  {"type": "object", "properties": {"term": {"type": "string"}}}}}],
                "tool_choice": {"type": "function", "function": {"name": "look"}}
                """));
    JsonNode first = ApiClient.parse(data.getFirst()).path("choices").path(0);
    JsonNode call = first.path("delta").path("tool_calls").path(0);
    assertThat(call.path("index").asInt()).isZero();
    assertThat(call.path("id").asText()).isEqualTo("c1");
    assertThat(call.path("function").path("arguments").asText()).isEqualTo("{\"term\":\"bow\"}");
    assertThat(ApiClient.parse(data.get(1)).path("choices").path(0).path("finish_reason").asText())
        .isEqualTo("tool_calls");
    assertThat(model.call().path("tool_choice").path("function").path("name").asText())
        .isEqualTo("look");
  }

  @Test
  void structuredOutputIsMendedBeforeItIsSent() {
    model.script((body, out) -> {
      boolean again = body.path("messages").size() > 1;
      events(
          out,
          text(again ? "{\\\"n\\\": 7}" : "Sure: {\\\"n\\\": \\\"x\\\"}"),
          delta("{}", "stop"),
          "[DONE]");
      return false;
    });
    List<String> data =
        stream(
            CHAT,
            ask(
                """
                "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema":
                  {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
                   "additionalProperties": false}}}
                """));
    List<JsonNode> chunks =
        data.subList(0, data.size() - 1).stream().map(ApiClient::parse).toList();
    assertThat(contents(chunks)).containsExactly("{\"n\": 7}");
  }

  @Test
  void aReplyThatIsCutAtTheBoundOfItsRequestComesAsItIs() {
    model.script((body, out) -> {
      events(out, text("{\\\"n\\\": "), delta("{}", "length"), "[DONE]");
      return false;
    });
    Reply reply =
        client
            .post(
                CHAT,
                """
                {"model": "scripted-1", "max_tokens": 3, "response_format": {"type": "json_object"},
                 "messages": [{"role": "user", "content": "a"}]}
                """)
            .is(200);
    JsonNode choice = reply.json().path("choices").path(0);
    assertThat(choice.path("finish_reason").asText()).isEqualTo("length");
    assertThat(choice.path("message").path("content").asText()).isEqualTo("{\"n\": ");
    assertThat(model.calls).hasSize(1);
  }

  @Test
  void aStreamThatBreaksOffAfterItsFirstPartEndsWithTheError() {
    model.script((body, out) -> {
      events(out, text("the front"));
      return false;
    });
    List<String> data = stream(CHAT, ask("\"n\": 1"));
    assertThat(contents(List.of(ApiClient.parse(data.getFirst())))).containsExactly("the front");
    assertThat(ApiClient.parse(data.getLast()).path("error").path("code").asText())
        .isEqualTo("reply_broken_off");
  }

  @Test
  void whatFailsBeforeAnyPartOfAStreamHasItsStatus() {
    model.script((body, out) -> {
      whole(out, 429, Map.of("Retry-After", "7"), "{\"error\": {\"message\": \"slow down\"}}");
      return false;
    });
    Reply reply = client.post(CHAT, "{" + ask("\"n\": 1") + "}");
    assertThat(reply.headers()).containsEntry("Retry-After", "7");
    reply.problem(429, "rate-limit-exceeded");
    rig.serve(Optional.empty());
    client.post(CHAT, "{" + ask("\"n\": 1") + "}").problem(503, "model-unavailable");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          messages[0].content[0] | "messages": [{"role": "user", "content": [{"type": "image_url"}]}]
          messages[0].role | "messages": [{"role": "clown", "content": "x"}]
          messages | "messages": []
          n | "n": 2
          logprobs | "logprobs": true
          temperature | "temperature": 3
          tools[0].function.name | "tools": [{"type": "function", "function": {"name": "a b"}}]
          tool_choice | "tool_choice": "required"
          response_format.type | "response_format": {"type": "grammar"}
          stop | "stop": ["a", "b", "c", "d", "e"]
          max_tokens | "max_tokens": 0
          colony.pages | "colony": {"pages": ["bbbbbbbbbbbbbbbbbbbbbbbbbb"]}
          colony.pages | "colony": {"pages": ["no-page"]}
          colony.page | "colony": {"page": "x"}
          """)
  void whatCannotBeServedIsRefusedByItsField(String param, String fields) {
    String messages =
        fields.contains("\"messages\"")
            ? ""
            : ", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}]";
    Reply reply =
        client.post(CHAT, "{\"model\": \"scripted-1\", " + fields + messages + "}").is(400);
    JsonNode error = reply.json().path("error");
    assertThat(error.path("param").asText()).isEqualTo(param);
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(error.path("message").asText()).isNotEmpty().doesNotContain("\n");
    assertThat(model.calls).isEmpty();
    if (fields.contains(ABSENT)) {
      assertThat(error.path("message").asText()).contains(ABSENT);
    }
  }

  @Test
  void aClientThatGoesHasItsCallEndedAtTheServer() throws Exception {
    for (String stream : List.of("true", "false")) {
      for (boolean begun : List.of(false, true)) {
        try (ScriptedModel one =
            new ScriptedModel((body, out) -> {
              if (begun) {
                events(out, text("the front"));
              }
              return true;
            })) {
          rig.serve(Optional.of(one));
          rig.problems().clear();
          String body =
              "{" + ask("\"n\": 1").replace("\"stream\": true", "\"stream\": " + stream) + "}";
          try (RawClient raw = new RawClient(rig.api().uri(), ApiClient.LONGEST)) {
            raw.send(
                "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                    .formatted(CHAT, body.length(), body));
            one.call();
          }
          assertThat(one.closedByClient.await(30, TimeUnit.SECONDS))
              .as("stream %s, begun %s", stream, begun)
              .isTrue();
          if (!begun) {
            await().until(() -> !rig.problems().isEmpty());
          }
          assertThat(rig.problems()).as("stream %s", stream).allMatch("client_gone"::equals);
        }
      }
    }
  }

  @Test
  void aSlowServerIsWaitedForAndTheReplyGoesOn() throws Exception {
    model.script((body, out) -> {
      events(out, text("the "));
      more(out, text("front"), delta("{}", "stop"), "[DONE]");
      return false;
    });
    assertThat(
            contents(
                stream(CHAT, ask("\"n\": 1")).stream()
                    .filter(one -> one.startsWith("{"))
                    .map(ApiClient::parse)
                    .toList()))
        .containsExactly("the ", "front");
  }

  @Test
  void aResponseHasItsOutputAndItsUsage() {
    Reply reply =
        client
            .post(
                RESPONSES,
                """
                {"model": "scripted-1", "instructions": "Be short.", "max_output_tokens": 50,
                 "metadata": {"a": "b"}, "store": true, "reasoning": {"effort": "high"},
                 "input": [
                   {"role": "user", "content": [{"type": "input_text", "text": "Look it up."}]},
                   {"type": "reasoning", "id": "r", "summary": []},
                   {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
                   {"type": "function_call_output", "call_id": "c1", "output": "found"},
                   {"role": "user", "content": "What is a bow?"}]}
                """)
            .is(200);
    JsonNode response = reply.json();
    assertThat(response.path("status").asText()).isEqualTo("completed");
    JsonNode message = response.path("output").path(0);
    assertThat(message.path("type").asText()).isEqualTo("message");
    assertThat(message.path("content").path(0).path("text").asText())
        .isEqualTo("the front of a ship");
    assertThat(response.path("usage").path("input_tokens").asInt()).isEqualTo(20);
    assertThat(response.path("metadata")).hasToString("{\"a\":\"b\"}");
    JsonNode call = model.call();
    List<String> roles = new ArrayList<>();
    call.path("messages").forEach(one -> roles.add(one.path("role").asText()));
    assertThat(roles).containsExactly("system", "user", "assistant", "tool", "user");
    assertThat(call.path("max_tokens").asInt()).isEqualTo(50);
    assertThat(call.path("reasoning_effort").asText()).isEqualTo("high");
  }

  @Test
  void theEventsOfAResponseComeInOrder() {
    List<String> lines = lines(RESPONSES, "\"stream\": true, \"input\": \"What is a bow?\"");
    assertThat(
            lines.stream()
                .filter(line -> line.startsWith("event: "))
                .map(line -> line.substring(7)))
        .containsExactly(
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed");
    List<JsonNode> events =
        lines.stream()
            .filter(line -> line.startsWith("data: "))
            .map(line -> ApiClient.parse(line.substring(6)))
            .toList();
    for (int i = 0; i < events.size(); i++) {
      assertThat(events.get(i).path("sequence_number").asInt()).isEqualTo(i);
    }
    assertThat(events.getLast().at("/response/output/0/content/0/text").asText())
        .isEqualTo("the front of a ship");
  }

  @Test
  void whatAResponseWouldNeedMemoryForIsRefused() {
    for (String field : List.of("previous_response_id", "conversation", "prompt")) {
      Reply reply =
          client.post(
              RESPONSES,
              "{\"model\": \"scripted-1\", \"input\": \"a\", \"%s\": \"p\"}".formatted(field));
      assertThat(reply.is(400).json().path("error").path("param").asText()).isEqualTo(field);
    }
  }

  @Test
  void theModelsAreThoseThatServersServe() {
    client.post(CHAT, "{" + ask("\"n\": 1") + "}").is(200);
    JsonNode listed = client.get("/v1/models").is(200).json().path("data").path(0);
    assertThat(listed.path("id").asText()).isEqualTo(ScriptedModel.NAME);
    assertThat(listed.path("max_model_len").asInt()).isEqualTo(32768);
    client.get("/v1/models/" + ScriptedModel.NAME).is(200);
    client.get("/v1/models/other").problem(404, "model-not-found");
    client
        .post(CHAT, "{" + ask("\"n\": 1").replace(ScriptedModel.NAME, "other") + "}")
        .problem(404, "model-not-found");
  }

  @Test
  void otherPathsAndMethodsFailInTheSameForm() {
    client.post("/v1/chat/nothing", "{}").problem(404, "not-found");
    client.post(CHAT, "{").problem(400, "bad-request");
    client.post("/v1//chat/completions", "{}").problem(400, "invalid-value");
    assertThat(
            client.send("DELETE", CHAT, "", Map.of()).problem(405, "method-not-allowed").status())
        .isEqualTo(405);
  }

  private static String ask(String more) {
    return "\"model\": \"scripted-1\", \"stream\": true, \"messages\": [{\"role\": \"user\","
        + " \"content\": \"What is a bow?\"}], "
        + more;
  }

  private List<String> stream(String path, String fields) {
    return lines(path, fields).stream()
        .filter(line -> line.startsWith("data: "))
        .map(line -> line.substring(6))
        .toList();
  }

  private List<String> lines(String path, String fields) {
    String body = fields.contains("\"model\"") ? fields : "\"model\": \"scripted-1\", " + fields;
    try (var lines = client.stream("POST", path, "{" + body + "}", Map.of())) {
      return lines.toList();
    }
  }
}
