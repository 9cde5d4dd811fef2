package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a caller gets of a reply that was cut at its bound: what the model said, in its own form.
 */
class CutReplyTest {

  private static final Tool LOOK =
      new Tool(
          "look",
          "Looks a term up.",
          json(
              """
              {"type": "object", "required": ["term"], "properties": {"term": {"type": "string"}}}
              """));

  private static final String LIST = "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}";
  private static final String NOTES =
      """
      {"type": "object", "properties": {
         "notes": {"type": "object", "additionalProperties": {"type": "string"}},
         "n": {"type": "integer"}}}
      """;

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {"reply": {"reply": "the front             | the front
          {"reply": {"reply": "a \\"bow\\" is        | a "bow" is
          {"reply": {"reply": "the front\\           | the front
          {"reply": {"reply": "the front\\u00        | the front
          {"reply": {"reply": "the \\\\              | ~the \\~
          {"reply": {"reply": "a ship \\ud83d        | ~a ship ~
          {"reply": {"reply": "a ship \\ud83d\\ude   | ~a ship ~
          {"reply": {"reply": "two\\nlines           | two\\nlines
          {"reply": {"reply": "the front"            | the front
          {"reply": {"reply": "the front"}           | the front
          {"reply": {"reply": "the front"}}          | the front
          {"reply": {"reply": "                      | ~~
          {"reply": {"reply":                        | ~~
          {"reply": {"re                             | ~~
          {"reply": {                                | ~~
          {"rep                                      | ~~
          {                                          | ~~
          {"reply": "the front                       | the front
          ```json\\n{"reply": {"reply": "the front    | the front
          Sure: {"reply": {"reply": "the front       | the front
          {"reply": {"tool": "look                   | ~~
          {"reply": {"tool": "look", "arguments": {"term": "bo | ~~
          {"tool": "look", "arguments": {"term": "bo | ~~
          the front of                               | the front of
          the set {                                  | the set {
          {"ship": {"bow": "the fro                  | {"ship": {"bow": "the fro
          """)
  void theTextOfAReplyBesideToolsByPromptIsDecoded(String written, String text) throws Exception {
    for (ToolChoice choice : List.of(ToolChoice.AUTO, ToolChoice.NONE)) {
      for (String dialect : List.of("default", "vllm", "deepseek")) {
        cut(written.replace("json\\n", "json\n"));
        Answered answered = ask(dialect, ReplyForm.text(50).tools(List.of(LOOK), choice));
        assertThat(answered.text())
            .as("%s, %s", dialect, choice)
            .isEqualTo(text.replace("\\n", "\n"));
        assertThat(answered.toolCalls()).isEmpty();
        assertThat(answered.finish()).isEqualTo(FinishReason.LENGTH);
      }
    }
  }

  @Test
  void whereverAReplyIsCutItsTextIsABeginningOfTheWhole() throws Exception {
    String said = "a {\"reply\": [\"b\\\\\"]} \u0001 \ud83d\udea2 \n\u00e4, and }]\" more";
    String written = "{\"reply\":{\"reply\":" + ascii(said) + "}}";
    String before = "";
    for (int at = 1; at <= written.length(); at++) {
      cut(written.substring(0, at));
      String text = ask("vllm", ReplyForm.text(50).tools(List.of(LOOK), ToolChoice.AUTO)).text();
      assertThat(said).as("cut at %d", at).startsWith(text);
      assertThat(text).startsWith(before).doesNotContain("\uFFFD");
      before = text;
    }
    assertThat(before).isEqualTo(said);
  }

  private static String ascii(String text) throws Exception {
    return JsonMapper.builder()
        .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
        .build()
        .writeValueAsString(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          default  | array | false | {"reply": [1, 2           | [1,2
          vllm     | array | false | {"reply": [1, 2           | [1,2
          vllm     | array | false | {"reply": [1, 2]          | [1,2]
          vllm     | array | true  | {"reply": {"reply": [1, 2 | [1,2
          vllm     | notes | true  | {"reply": {"reply": {"notes": {"a": "b | {"notes":{"a":"b
          default  | notes | false | {"notes": [{"name": "a", "value": "b   | {"notes":{"a":"b
          default  | notes | false | {"notes": null, "n": 1    | {"n":1
          vllm     | notes | false | {"notes": {"a": "b        | {"notes": {"a": "b
          """)
  void structuredOutputIsABeginningOfWhatTheCallerAskedFor(
      String dialect, String schema, boolean tools, String written, String text) throws Exception {
    cut(written);
    ReplyForm form =
        ReplyForm.text(50)
            .tools(tools ? List.of(LOOK) : List.of(), ToolChoice.AUTO)
            .schema(Optional.of(json(schema.equals("array") ? LIST : NOTES)));
    Answered answered = ask(dialect, form);
    assertThat(answered.text()).isEqualTo(text);
    assertThat(answered.finish()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void aReplyAsAToolsArgumentsIsItsText() throws Exception {
    ObjectNode start = JsonNodeFactory.instance.objectNode().put("index", 0);
    start
        .putObject("content_block")
        .put("type", "tool_use")
        .put("id", "t")
        .put("name", "reply")
        .putObject("input");
    server.chat(request ->
        Reply.events(
            "event: content_block_start\ndata: " + start.put("type", "content_block_start"),
            "event: content_block_delta\n"
                + "data:"
                + " {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"reply\\\":"
                + " [1, 2\"}}",
            "event: message_delta\n"
                + "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}",
            "event: message_stop\ndata: {\"type\":\"message_stop\"}"));
    Answered answered = ask("anthropic", ReplyForm.json(json(LIST), 50));
    assertThat(answered.text()).isEqualTo("[1,2");
    assertThat(answered.finish()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void ofToolCallsThoseThatAreWholeAreGiven() throws Exception {
    String whole = "{\"term\": \"bow\"}";
    for (boolean prompted : List.of(true, false)) {
      cut(prompted ? "{\"reply\": {\"tool\": \"look\", \"arguments\": " + whole : "");
      if (!prompted) {
        server.chat(request ->
            Reply.status(
                200,
                """
                {"choices": [{"finish_reason": "length", "message": {"content": null, "tool_calls": [
                  {"id": "a", "function": {"name": "look", "arguments": "{\\"term\\": \\"bow\\"}"}},
                  {"id": "b", "function": {"name": "look", "arguments": "{\\"term\\": \\"ste"}}]}}]}
                """));
      }
      Answered answered = ask("vllm", ReplyForm.text(50).tools(List.of(LOOK), ToolChoice.REQUIRED));
      assertThat(answered.toolCalls())
          .extracting(call -> call.arguments())
          .containsExactly(json(whole));
      assertThat(answered.text()).isEmpty();
      assertThat(answered.finish()).isEqualTo(FinishReason.LENGTH);
    }
  }

  @Test
  void aReplyThatEndsAtAStopWordIsDecodedToo() throws Exception {
    written("{\"reply\": {\"reply\": \"the front ", "stop");
    InferenceRequest request =
        request("c")
            .sampling(
                new Sampling(
                    OptionalDouble.empty(),
                    OptionalDouble.empty(),
                    OptionalLong.empty(),
                    List.of("END"),
                    Optional.empty()));
    Answered answered =
        ask("vllm", request.reply(ReplyForm.text(50).tools(List.of(LOOK), ToolChoice.AUTO)));
    assertThat(answered.text()).isEqualTo("the front ");
    assertThat(answered.finish()).isEqualTo(FinishReason.STOP);
  }

  private void cut(String text) {
    written(text, "length");
  }

  private void written(String text, String finish) {
    ObjectNode root = JsonNodeFactory.instance.objectNode().put("model", "m");
    root.putArray("choices")
        .addObject()
        .put("finish_reason", finish)
        .putObject("message")
        .put("content", text);
    server.chat(request ->
        request.json().has("tools")
            ? ScriptedServers.error(400, "the model does not support tools", "", "")
            : Reply.status(200, root.toString()));
  }

  private Answered ask(String dialect, ReplyForm form) throws InterruptedException {
    return ask(dialect, request("c").reply(form));
  }

  private Answered ask(String dialect, InferenceRequest request) throws InterruptedException {
    ModelServer client =
        new ModelServer(
            server.uri(),
            ProviderSettings.fromConfig(
                config("client.dialect = " + dialect, "client.model = m", "client.api-key = k")),
            http);
    Attempt attempt =
        client.complete(
            request.reply(request.reply().cutAllowed()),
            "r",
            Duration.ofSeconds(20),
            part -> {},
            new UsageTally());
    return switch (attempt) {
      case Answered answered -> answered;
      case Attempt.Failed failed -> throw failed.failure();
    };
  }
}
