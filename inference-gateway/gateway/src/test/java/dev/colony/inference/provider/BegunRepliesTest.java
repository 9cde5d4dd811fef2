package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.withSchema;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A reply that was cut or loops, at servers that go on with it or end it themselves. */
class BegunRepliesTest {

  private static final String SCHEMA =
      "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":\"string\"}}}";
  private static final String BEGUN = "{\"n\": \"one two";
  private static final String WHOLE = "{\"n\": \"one two three\"}";
  private static final String SCHEMA_FIELD = "response_format";

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);
  private final List<InferenceDelta> parts = new ArrayList<>();

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  @Test
  void cutReplyIsGoneOnWithAndNotPaidTwice() throws Exception {
    lists("vllm");
    server.chat(
        request -> goesOn(request) ? reply(" three\"}", "stop", 5) : reply(BEGUN, "length", 50));
    Answered answered = ask(client());
    assertThat(answered.text()).isEqualTo(WHOLE);
    assertThat(answered.usage().completionTokens()).isEqualTo(55);
    assertThat(server.chats()).extracting(BegunRepliesTest::room).containsExactly(50, 150);
    JsonNode second = server.chats().getLast().json();
    assertThat(second.path("add_generation_prompt").asBoolean(true)).isFalse();
    assertThat(second.has(SCHEMA_FIELD)).as("its grammar would begin anew").isFalse();
    assertThat(server.chats().getLast().messages("assistant")).containsExactly(BEGUN);
    assertThat(textOfTheLast()).isEqualTo(WHOLE);
  }

  @Test
  void serverThatDoesNotGoOnIsAskedForTheWholeFromThenOn() throws Exception {
    lists("vllm");
    server.chat(request ->
        goesOn(request)
            ? ScriptedServers.error(
                400,
                "continue_final_message is set but the final message does not appear in the chat"
                    + " after applying the chat template!",
                "",
                "400")
            : room(request) < 200 ? reply(BEGUN, "length", 50) : reply(WHOLE, "stop", 60));
    ModelServer client = client();
    assertThat(ask(client).text()).isEqualTo(WHOLE);
    assertThat(ask(client).text()).isEqualTo(WHOLE);
    assertThat(server.chats())
        .extracting(BegunRepliesTest::room)
        .containsExactly(50, 150, 200, 50, 200);
  }

  @Test
  void modelThatGoesOnWithSomethingElseIsAskedForTheWholeFromThenOn() throws Exception {
    lists("vllm");
    server.chat(request ->
        goesOn(request)
            ? reply("{\"n\": \"one\"", "stop", 5)
            : room(request) < 200 ? reply(BEGUN, "length", 50) : reply(WHOLE, "stop", 60));
    ModelServer client = client();
    assertThat(ask(client).text()).isEqualTo(WHOLE);
    assertThat(ask(client).text()).isEqualTo(WHOLE);
    assertThat(server.chats())
        .extracting(BegunRepliesTest::room)
        .containsExactly(50, 150, 200, 50, 200);
  }

  @Test
  void llamaCppGoesOnWithTheLastMessageUnderItsGrammar() throws Exception {
    lists("llamacpp");
    server.chat(request ->
        request.messages("assistant").isEmpty()
            ? reply(BEGUN, "length", 50)
            : reply(WHOLE, "stop", 5));
    Answered answered = ask(client());
    assertThat(answered.text()).as("its replies have the beginning once more").isEqualTo(WHOLE);
    assertThat(answered.usage().completionTokens()).isEqualTo(55);
    JsonNode second = server.chats().getLast().json();
    assertThat(second.has(EngineHints.CONTINUE)).isFalse();
    assertThat(second.has(SCHEMA_FIELD)).isTrue();
  }

  @Test
  void llamaCppThatRefusesABeginningIsAskedForTheWhole() throws Exception {
    lists("llamacpp");
    server.chat(request ->
        !request.messages("assistant").isEmpty()
            ? ScriptedServers.error(
                400, "Assistant response prefill is incompatible with enable_thinking.", "", "400")
            : room(request) < 200 ? reply(BEGUN, "length", 50) : reply(WHOLE, "stop", 60));
    assertThat(ask(client()).text()).isEqualTo(WHOLE);
    assertThat(server.chats()).extracting(BegunRepliesTest::room).containsExactly(50, 150, 200);
  }

  @Test
  void otherServersAreNotSentABeginning() throws Exception {
    server.chat(
        request -> room(request) < 200 ? reply(BEGUN, "length", 50) : reply(WHOLE, "stop", 60));
    assertThat(ask(client()).text()).isEqualTo(WHOLE);
    assertThat(server.chats())
        .allSatisfy(call -> {
          assertThat(call.messages("assistant")).isEmpty();
          assertThat(call.json().has(EngineHints.REPETITION)).isFalse();
        });
  }

  @Test
  void loopThatTheServerEndsIsAskedOnceMoreAgainstRepeating() throws Exception {
    lists("vllm");
    server.chat(request ->
        request.json().has("frequency_penalty")
            ? reply(WHOLE, "stop", 9)
            : reply("{\"n\": \"1. 1. 1. ", "repetition", 52));
    assertThat(ask(client()).text()).isEqualTo(WHOLE);
    assertThat(server.chats()).extracting(BegunRepliesTest::room).containsExactly(50, 50);
    assertThat(server.chats().getFirst().json().at("/repetition_detection/min_count").asInt())
        .isEqualTo(12);
  }

  @Test
  void loopInFreeTextIsTheCallersToStop() throws Exception {
    lists("vllm");
    assertThat(complete(client(), request("c")).text()).isEqualTo("fine");
    assertThat(server.chats().getFirst().json().has(EngineHints.REPETITION)).isFalse();
  }

  private String textOfTheLast() {
    StringBuilder text = new StringBuilder();
    for (InferenceDelta part : parts) {
      switch (part) {
        case InferenceDelta.Asked asked -> text.setLength(0);
        case InferenceDelta.Text more -> text.append(more.text());
        default -> {}
      }
    }
    return text.toString();
  }

  private static boolean goesOn(Recorded request) {
    return request.json().path(EngineHints.CONTINUE).asBoolean();
  }

  private static int room(Recorded request) {
    return request.json().path("max_tokens").asInt();
  }

  private static Reply reply(String text, String finish, int tokens) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ObjectNode choice = root.putArray("choices").addObject().put("finish_reason", finish);
    choice.putObject("message").put("content", text);
    root.putObject("usage").put("prompt_tokens", 100).put("completion_tokens", tokens);
    return Reply.status(200, root.toString());
  }

  private void lists(String owner) {
    server.models(request ->
        Reply.status(200, "{\"data\":[{\"id\":\"small\",\"owned_by\":\"%s\"}]}".formatted(owner)));
  }

  private ModelServer client() {
    return new ModelServer(server.uri(), ProviderSettings.fromConfig(config()), http);
  }

  private Answered ask(ModelServer client) throws InterruptedException {
    return complete(client, withSchema(request("c"), SCHEMA));
  }

  private Answered complete(ModelServer client, InferenceRequest request)
      throws InterruptedException {
    return (Answered)
        client.complete(request, "r", Duration.ofSeconds(20), parts::add, new UsageTally());
  }
}
