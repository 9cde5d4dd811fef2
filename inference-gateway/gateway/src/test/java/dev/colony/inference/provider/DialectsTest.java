package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.withSchema;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.UsageTally;
import dev.colony.inference.provider.ScriptedServers.Server;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same calls at each server give the same answers. */
class DialectsTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  /** With an optional property, one of any type, and bounds. */
  private static final String SCHEMA =
      """
      {"type": "object", "required": ["n", "any"], "additionalProperties": false,
       "properties": {
         "kind": {"const": "whole"},
         "size": {"enum": ["small", 1]},
         "n": {"type": "integer", "minimum": 1},
         "any": {},
         "note": {"type": "string", "maxLength": 20},
         "tags": {"type": "array", "items": {"type": "string"}}}}
      """;

  private static final Tool LOOK_UP =
      new Tool(
          "look_up",
          "Looks a term up.",
          json(
              """
              {"type": "object", "required": ["term"], "properties": {"term": {"type": "string"}}}
              """));

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);
  private final List<InferenceDelta> parts = new ArrayList<>();

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
  }

  static List<Server> servers() {
    return ScriptedServers.all(ScriptedReplies::byWords);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void text(Server server) throws Exception {
    try (RecordingModelServer played = server.play()) {
      Answered answered = ask(played, server, request("c", "p1", "p2"));
      assertThat(answered.text()).isEqualTo(ScriptedReplies.TEXT);
      assertThat(answered.toolCalls()).isEmpty();
      assertThat(answered.finish()).isEqualTo(FinishReason.STOP);
      assertThat(said()).isEqualTo(ScriptedReplies.TEXT);
      boolean counts = answered.cachedTokens().isPresent();
      if (counts) {
        assertThat(answered.usage().promptTokens()).isEqualTo(120);
        assertThat(answered.usage().cachedTokens()).isEqualTo(96);
        assertThat(answered.usage().completionTokens()).isEqualTo(12);
      }
      String sent = played.chats().getLast().body();
      assertThat(sent.indexOf("text of p1")).isPositive();
      assertThat(sent.indexOf("text of p2")).isGreaterThan(sent.indexOf("text of p1"));
      assertThat(sent.indexOf("Question: what?")).isGreaterThan(sent.indexOf("text of p2"));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void jsonBySchema(Server server) throws Exception {
    try (RecordingModelServer played = server.play()) {
      Answered answered =
          ask(played, server, withSchema(asking(ScriptedReplies.ASKS_JSON), SCHEMA));
      assertThat(json(answered.text())).isEqualTo(ScriptedReplies.OBJECT);
      assertThat(said()).as("its parts are text").isNotBlank();
      assertThat(played.chats().getLast().headers().get("idempotency-key"))
          .as("at once, without a repair")
          .isEqualTo("c");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void tools(Server server) throws Exception {
    try (RecordingModelServer played = server.play()) {
      InferenceRequest call = asking(ScriptedReplies.ASKS_TOOL);
      Answered answered =
          ask(
              played,
              server,
              call.reply(ReplyForm.text(50).tools(List.of(LOOK_UP), ToolChoice.AUTO)));
      assertThat(answered.finish()).isEqualTo(FinishReason.TOOL_CALLS);
      assertThat(answered.toolCalls()).hasSize(1);
      ToolCall made = answered.toolCalls().getFirst();
      assertThat(made.name()).isEqualTo("look_up");
      assertThat(made.arguments()).isEqualTo(ScriptedReplies.ARGUMENTS);
      assertThat(made.id()).isNotEmpty();

      List<ChatMessage> talk = new ArrayList<>(call.prompt().messages());
      talk.add(new ChatMessage.Assistant("", List.of(made)));
      talk.add(new ChatMessage.ToolResult(made.id(), "the front part"));
      talk.add(new ChatMessage.User("Say it in short."));
      talk.set(0, new ChatMessage.User("What is a bow?"));
      Answered after =
          ask(
              played,
              server,
              call.prompt(new Prompt("You answer.", List.of(), talk)).reply(ReplyForm.text(50)));
      assertThat(after.text()).isEqualTo(ScriptedReplies.TEXT);
      assertThat(played.chats().getLast().body()).contains("the front part");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void whatWasLearnedIsKept(Server server) throws Exception {
    try (RecordingModelServer played = server.play()) {
      ModelServer client = client(played, server);
      ask(client, withSchema(asking(ScriptedReplies.ASKS_JSON), SCHEMA));
      int before = played.chats().size();
      ask(client, withSchema(asking(ScriptedReplies.ASKS_JSON), SCHEMA));
      List<Recorded> chats = played.chats();
      assertThat(chats).hasSize(before + 1);
      assertThat(chats.getLast().body()).isEqualTo(chats.get(before - 1).body());
    }
  }

  private ModelServer client(RecordingModelServer played, Server server) {
    return new ModelServer(
        URI.create(played.uri() + server.path()),
        ProviderSettings.fromConfig(config(server.settings().toArray(String[]::new))),
        http);
  }

  private Answered ask(RecordingModelServer played, Server server, InferenceRequest request)
      throws InterruptedException {
    return ask(client(played, server), request);
  }

  private Answered ask(ModelServer client, InferenceRequest request) throws InterruptedException {
    parts.clear();
    return switch (client.complete(request, "r", LONG, parts::add, new UsageTally())) {
      case Answered answered -> answered;
      case Attempt.Failed failed -> throw failed.failure();
    };
  }

  private static InferenceRequest asking(String word) {
    InferenceRequest request = request("c");
    return request.prompt(Prompt.of("You answer.", List.of(), "What is a bow? " + word));
  }

  private String said() {
    return parts.stream()
        .filter(InferenceDelta.Text.class::isInstance)
        .map(part -> ((InferenceDelta.Text) part).text())
        .collect(Collectors.joining());
  }

  @Test
  void hostedServicesAreThoseOfKnownProvidersBySettingOrByAddress() {
    ProviderSettings auto = ProviderSettings.fromConfig(config());
    for (String host :
        List.of(
            "api.openai.com",
            "api.anthropic.com",
            "generativelanguage.googleapis.com",
            "x.openai.azure.com")) {
      assertThat(auto.hosted(URI.create("https://" + host + "/v1"))).as(host).isTrue();
    }
    URI own = URI.create("http://gpu-1:8000/v1");
    assertThat(auto.hosted(own)).isFalse();
    for (String dialect : Dialect.names()) {
      assertThat(
              ProviderSettings.fromConfig(config("client.dialect = \"" + dialect + "\""))
                  .hosted(own))
          .as(dialect)
          .isEqualTo(
              !Set.of(
                      "default",
                      "vllm",
                      "ollama",
                      "llama.cpp",
                      "llama-cpp-python",
                      "litellm",
                      "dynamo")
                  .contains(dialect));
    }
  }
}
