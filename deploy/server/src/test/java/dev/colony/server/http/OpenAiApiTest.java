package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.USAGE;
import static dev.colony.server.http.ScriptedModel.delta;
import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.more;
import static dev.colony.server.http.ScriptedModel.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.http.ApiClient.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** OpenAI's chat completions and models over a model server that answers by script. */
class OpenAiApiTest extends OpenAiFixture {

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
  void headersOfVllmsClientsStandForWhatTheBodyDoesNotSay() {
    String ask =
        "{\"model\": \"scripted-1\", %s\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}";
    Map<String, String> headers = Map.of("X-Session-ID", "theirs", "X-Vllm-Priority", "-3");
    client.send("POST", CHAT, ask.formatted(""), headers).is(200);
    assertThat(model.call().path("priority").asInt()).isEqualTo(-3);
    assertThat(model.head).containsIgnoringCase("x-session-id: theirs\r\n");

    String own = ask.formatted("\"priority\": 4, \"colony\": {\"session\": \"mine\"}, ");
    client.send("POST", CHAT, own, headers).is(200);
    assertThat(model.call().path("priority").asInt()).isEqualTo(4);
    assertThat(model.head).containsIgnoringCase("x-session-id: mine\r\n");

    Reply wrong = client.send("POST", CHAT, ask.formatted(""), Map.of("X-Vllm-Priority", "high"));
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.json().at("/error/param").asText()).isEqualTo("x-vllm-priority");
    assertThat(wrong.json().at("/error/message").asText())
        .isEqualTo("x-vllm-priority must be an integer, not high");
    assertThat(model.calls).isEmpty();
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
  void theIdOfAModelIsTheSameBeforeAndAfterTheFirstCall() {
    String before = listed();
    assertThat(before).isEqualTo(ScriptedModel.NAME);
    client.get("/v1/models/" + before).is(200);
    client
        .post(CHAT, "{" + ask("\"n\": 1").replace(ScriptedModel.NAME, "other") + "}")
        .problem(404, "model-not-found");
    String body = "{" + ask("\"n\": 1").replace("\"stream\": true", "\"stream\": false") + "}";
    for (int i = 0; i < 2; i++) {
      assertThat(client.post(CHAT, body).is(200).json().path("model").asText()).isEqualTo(before);
      assertThat(listed()).isEqualTo(before);
    }
    assertThat(client.get("/v1/models/default").is(200).json().path("id").asText())
        .isEqualTo(before);
  }

  private String listed() {
    return client.get("/v1/models").is(200).json().at("/data/0/id").asText();
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
}
