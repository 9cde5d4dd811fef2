package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.withSchema;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.Prompt;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.provider.Dialect.JsonMode;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schemas that a server's grammar has no form for, as vLLM and llama-cpp-python refuse them. */
class UnheldSchemasTest {

  private static final String LIST =
      """
      {"type": "object", "required": ["n"], "properties": {"n": {"type": "array",
       "description": "Numbers.", "items": {"type": "integer"}, "uniqueItems": true,
       "contains": {"const": 1}, "minContains": 1, "maxContains": 2}}, "minProperties": 1}
      """;

  private final RecordingModelServer server = RecordingModelServer.start(this::vllm);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);
  private ModelServer client = client("vllm");
  private String keyword = "uniqueItems";

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  private ModelServer client(String dialect) {
    return new ModelServer(
        server.uri(), ProviderSettings.fromConfig(config("client.dialect = " + dialect)), http);
  }

  /** Refuses in the stream, as vLLM 0.32 does. */
  private Reply vllm(Recorded asked) {
    return asked.json().path("response_format").toString().contains('"' + keyword + '"')
        ? refused("Grammar error: Unimplemented keys: [\\\"" + keyword + "\\\"]")
        : Reply.answer("{\"n\": [1]}");
  }

  private static Reply refused(String words) {
    return Reply.events(
        "data: {\"error\":{\"message\":\""
            + words
            + "\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}}",
        "data: [DONE]");
  }

  private Attempt ask(String schema) throws InterruptedException {
    return client.complete(
        withSchema(request("c"), schema),
        "r",
        Duration.ofSeconds(60),
        part -> {},
        new UsageTally());
  }

  private JsonNode sent() {
    return server.chats().getLast().json().at("/response_format/json_schema/schema");
  }

  @Test
  void whatNoGrammarHasAFormForStandsInTheDescription() throws Exception {
    assertThat(ask(LIST)).isInstanceOf(Answered.class);
    assertThat(server.chats()).hasSize(1);
    assertThat(sent().at("/properties/n").toString())
        .contains("Numbers.; uniqueItems: true; contains: {\\\"const\\\":1}; minContains: 1")
        .doesNotContain("\"uniqueItems\":");
    assertThat(sent().path("minProperties").asInt()).as("which there are is said").isEqualTo(1);
    assertThat(
            SchemaKeywords.held(json("{\"type\": \"object\", \"minProperties\": 1}"), Set.of())
                .path("description")
                .asText())
        .isEqualTo("minProperties: 1");
  }

  @Test
  void aRefusedKeywordIsLeftOutForThatSchemaOnly() throws Exception {
    keyword = "propertyNames";
    String schema =
        """
        {"type": "object", "properties": {"n": {}}, "propertyNames": {"maxLength": 9}}
        """;
    for (int i = 0; i < 2; i++) {
      assertThat(ask(schema)).isInstanceOf(Answered.class);
      assertThat(sent().path("description").asText()).isEqualTo("propertyNames: {\"maxLength\":9}");
    }
    assertThat(server.chats()).as("what was learned is kept").hasSize(3);
    assertThat(client.dialect()).isEqualTo(Dialect.named("vllm"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "The provided JSON schema contains features not supported by xgrammar.",
        "Automatic parser generation failed: JSON schema error at #: unrecognized type foo"
      })
  void aSchemaThatIsRefusedIsAskedForByPromptAndOthersAreNot(String words) throws Exception {
    server.chat(asked ->
        asked.json().at("/response_format/type").asText().equals("json_schema")
                && asked.body().contains("odd")
            ? refused(words)
            : Reply.answer("{\"n\": [1]}"));
    assertThat(ask("{\"type\": \"object\", \"title\": \"odd\"}")).isInstanceOf(Answered.class);
    assertThat(server.chats().getLast().json().at("/response_format/type").asText())
        .isEqualTo("json_object");
    assertThat(client.dialect().json()).isEqualTo(JsonMode.LAX);
    assertThat(ask(LIST)).isInstanceOf(Answered.class);
    assertThat(sent().isMissingNode()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"temperature is out of range", "Value error, top_k must be -1"})
  void anErrorInAStreamIsByItsCodeTheCallers(String words) throws Exception {
    server.chat(asked -> refused(words.replace("temperature", "min_p")));
    Attempt attempt = ask(LIST);
    assertThat(((Failed) attempt).failure().kind()).isEqualTo(Kind.REFUSED);
    assertThat(((Failed) attempt).failure().retryable()).isFalse();
    assertThat(server.chats()).hasSize(1);
  }

  private ScriptedServers.Server llama() {
    return ScriptedServers.all(ScriptedReplies::byWords).stream()
        .filter(one -> one.name().equals("llama-cpp-python"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void llamaCppPythonIsGivenTheSchemaBesideTheFormat() throws Exception {
    client = client("auto");
    server.chat(llama()::reply);
    for (int i = 0; i < 2; i++) {
      ask(LIST);
      JsonNode format = server.chats().getLast().json().path("response_format");
      assertThat(format.path("type").asText()).isEqualTo("json_object");
      assertThat(format.at("/schema/required/0").asText()).isEqualTo("n");
    }
    assertThat(client.dialect().json()).isEqualTo(JsonMode.OBJECT_SCHEMA);
  }

  @Test
  void aTextIsNoLongerThanTheGrammarOfLlamaCppPythonHolds() throws Exception {
    client = client("auto");
    server.chat(llama()::reply);
    ask(
        """
        {"type": "object", "required": ["n"], "properties": {
          "n": {"type": "integer"}, "long": {"type": "string", "maxLength": 1200},
          "many": {"type": "array", "items": {"type": "object", "properties": {
            "long": {"type": "string", "maxLength": 1000},
            "short": {"type": "string", "maxLength": 120}}}}}}
        """);
    JsonNode sent = server.chats().getLast().json().at("/response_format/schema/properties");
    assertThat(sent.at("/long/maxLength").asInt()).isEqualTo(900);
    assertThat(sent.at("/many/items/properties/long/maxLength").asInt()).isEqualTo(900);
    assertThat(sent.at("/many/items/properties/short/maxLength").asInt()).isEqualTo(120);
  }

  /** The head of its reply is on its way before it looks at the prompt. */
  @Test
  void aStreamOfNothingIsLookedIntoOnce() throws Exception {
    client = client("auto");
    server.chat(llama()::reply);
    Attempt attempt =
        client.complete(
            request("c").prompt(Prompt.of("", List.of(), "word ".repeat(9000))),
            "r",
            Duration.ofSeconds(60),
            part -> {},
            new UsageTally());
    assertThat(((Failed) attempt).failure().kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(((Failed) attempt).failure().promptLength().orElseThrow().limitTokens())
        .hasValue(2048);
    assertThat(server.chats())
        .extracting(sent -> sent.json().path("stream").asBoolean())
        .containsExactly(true, false);
  }

  @Test
  void aServerThatSaysNothingAtAllIsNotAskedAgain() throws Exception {
    server.chat(asked -> Reply.status(200, Map.of("Content-Type", "text/event-stream"), ""));
    Attempt attempt = ask(LIST);
    assertThat(((Failed) attempt).failure().retryable()).isFalse();
    assertThat(((Failed) attempt).failure()).hasMessageContaining("answers nothing to this call");
    assertThat(server.chats().size()).isLessThanOrEqualTo(3);
  }

  @Test
  void aCallWaitsOnWhileTheServerGetsOnWithOthers() throws Exception {
    client =
        new ModelServer(
            server.uri(),
            ProviderSettings.fromConfig(config("client.first-token-timeout = 50 ms")),
            http);
    server.chat(asked -> Reply.eventsThenHang(": comment"));
    AtomicInteger asked = new AtomicInteger();
    Attempt attempt =
        client.complete(
            request("c"),
            "r",
            Duration.ofSeconds(60),
            new ModelClient.Patience(2, () -> asked.incrementAndGet() < 4),
            part -> {},
            new UsageTally());
    assertThat(((Failed) attempt).failure()).hasMessageContaining("began no reply within 100 ms");
    assertThat(asked).hasValue(4);
    assertThat(server.chats()).hasSize(1);
  }
}
