package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.delta;
import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.text;
import static dev.colony.server.http.ScriptedModel.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.http.ApiClient.Reply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How OpenAI's protocols tell what cannot be served, and what breaks off. */
class OpenAiFaultsTest extends OpenAiFixture {

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

  @Test
  void aPromptThatIsTooLongSaysHowManyTokensTheModelTakes() {
    refusing(
        400,
        "This model's maximum context length is 8192 tokens. However, you requested 50 output"
            + " tokens and your prompt contains at least 9001 input tokens",
        "context_length_exceeded");
    String body = "{\"model\": \"scripted-1\", \"max_tokens\": 50, \"%s\": \"long\"}";
    for (Reply reply :
        List.of(
            client.post(CHAT, "{" + ask("\"max_tokens\": 50") + "}"),
            client.post(
                CHAT,
                "{"
                    + ask("\"max_tokens\": 50").replace("\"stream\": true", "\"stream\": false")
                    + "}"),
            client.post(
                RESPONSES, body.replace("max_tokens", "max_output_tokens").formatted("input")))) {
      JsonNode error = reply.problem(400, "context-length-exceeded").json().path("error");
      assertThat(error.path("message").asText())
          .startsWith(
              "This model's maximum context length is 8192 tokens. However, your messages resulted"
                  + " in 9001 tokens");
      assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          400 | bad field; see http://10.1.2.3:8000/docs   | 400 | bad field; see [address]
          422 | asked gpu-1:8000 and vllm.ai.svc:80 in vain | 400 | asked [address] and [address] in vain
          401 | Incorrect API key provided: sk-secret      | 400 | the model server does not take requests of this node: see its log
          500 | Traceback: secret.py at http://gpu-1:8000  | 502 | the model server failed: ask again
          503 | secret of gpu-1 is full                    | 429 | the model server has too much to do: ask again
          """)
  void noErrorTellsWhereAModelServerIsOrWhatIsTheMatterWithIt(
      int status, String words, int told, String message) {
    refusing(status, words, "code");
    String fields = ask("\"max_tokens\": 50");
    for (String body : List.of(fields, fields.replace("\"stream\": true", "\"stream\": false"))) {
      String said =
          client.post(CHAT, "{" + body + "}").is(told).json().at("/error/message").asText();
      assertThat(said).endsWith(message).doesNotContain("127.0.0.1", "secret", "http:");
    }
    ScriptedModel gone = new ScriptedModel(SHIP);
    gone.close();
    rig.serve(Optional.of(gone));
    assertThat(client.post(CHAT, "{" + fields + "}").is(503).text()).doesNotContain("127.0.0.1");
  }

  private void refusing(int status, String words, String code) {
    model.script((body, out) -> {
      whole(
          out,
          status,
          Map.of(),
          "{\"error\": {\"message\": \"%s\", \"code\": \"%s\"}}".formatted(words, code));
      return false;
    });
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

  /** Each of them never ends where it is held against a value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"$ref": "#"} | #
          {"type": "object", "allOf": [{"$ref": "#"}]} | #
          {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}} | #/properties/a
          {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}} | #/
          {"$ref": "http://127.0.0.1:1/never-asked"} | #
          """)
  void aSchemaThatNeverEndsOrIsElsewhereIsRefusedByItsPlace(String schema, String place) {
    String tool = "\"type\": \"function\", \"name\": \"t\"";
    Map<String, String> asked =
        Map.of(
            "response_format.json_schema.schema",
            "\"response_format\": {\"type\": \"json_schema\", \"json_schema\": {\"name\": \"n\","
                + " \"schema\": %s}}",
            "tools[0].function.parameters",
            "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"t\", \"parameters\":"
                + " %s}}]");
    asked.forEach((param, field) -> {
      Reply reply = client.post(CHAT, "{" + ask(field.formatted(schema)) + "}");
      assertRefused(reply, param, place);
    });
    String input = "{\"model\": \"scripted-1\", \"input\": \"a\", ";
    assertRefused(
        client.post(
            RESPONSES, input + "\"tools\": [{%s, \"parameters\": %s}]}".formatted(tool, schema)),
        "tools[0].parameters",
        place);
    assertRefused(
        client.post(
            RESPONSES,
            input
                + "\"text\": {\"format\": {\"type\": \"json_schema\", \"name\": \"n\", \"schema\": %s}}}"
                    .formatted(schema)),
        "text.format.schema",
        place);
  }

  private static void assertRefused(Reply reply, String param, String place) {
    JsonNode error = reply.is(400).json().path("error");
    assertThat(error.path("param").asText()).isEqualTo(param);
    assertThat(error.path("message").asText()).startsWith(param + ": ").contains(" " + place);
  }

  /** A schema of a tree refers to itself, one level deeper in the value. */
  @Test
  void aSchemaOfATreeIsServed() {
    model.script((body, out) -> {
      boolean again = body.path("messages").size() > 1;
      String kid = again ? "{\\\"n\\\": 2}" : "{\\\"n\\\": \\\"two\\\"}";
      events(
          out, text("{\\\"n\\\": 1, \\\"kids\\\": [" + kid + "]}"), delta("{}", "stop"), "[DONE]");
      return false;
    });
    List<String> data =
        stream(
            CHAT,
            ask(
                """
                "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema":
                  {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"},
                   "kids": {"type": "array", "items": {"$ref": "#"}}}}}}
                """));
    List<JsonNode> chunks =
        data.subList(0, data.size() - 1).stream().map(ApiClient::parse).toList();
    assertThat(contents(chunks)).containsExactly("{\"n\": 1, \"kids\": [{\"n\": 2}]}");
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

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          POST, /v1/moderations
          POST, /v1/completions
          GET, /v1/files
          POST, /v1/images/generations
          GET, /v1/evals/eval_1
          POST, /v1/audio/speech
          GET, /v1/fine_tuning/jobs
          POST, /v1/vector_stores/
          POST, /chat/completions
          POST, /v1/v1/chat/completions
          """)
  void aPathOfOpenAiThatIsNotServedSaysWhichAre(String method, String path) {
    JsonNode error =
        client
            .send(method, path, method.equals("POST") ? "{}" : "", Map.of())
            .problem(404, "not-found")
            .json()
            .path("error");
    assertThat(error.isObject()).as("in OpenAI's form").isTrue();
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(error.has("param")).isTrue();
    assertThat(error.path("message").asText()).startsWith(method + " " + path).contains(CHAT);
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
}
