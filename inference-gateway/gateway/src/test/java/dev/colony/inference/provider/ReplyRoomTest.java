package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.withSchema;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much room a prompt and its reply have. */
class ReplyRoomTest {

  private static final String SCHEMA = "{\"type\":\"object\",\"required\":[\"n\"]}";

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

  @Test
  void aModelThatThoughtTooLongIsAskedOnceMoreWithFourTimesTheRoom() throws Exception {
    server.chat(request ->
        room(request) < 200 ? cut("null", "thought on and on") : Reply.answer("{\"n\": 1}"));
    Answered answered = (Answered) ask(withSchema(request("c"), SCHEMA));
    assertThat(answered.text()).isEqualTo("{\"n\": 1}");
    assertThat(server.chats()).extracting(ReplyRoomTest::room).containsExactly(50, 200);
    assertThat(answered.usage().completionTokens()).isEqualTo(60);
  }

  @Test
  void jsonThatWasCutIsNotRepairedButGivenRoom() throws Exception {
    server.chat(
        request -> room(request) < 200 ? cut("\"{\\\"n\\\": \"", "") : Reply.answer("{\"n\": 1}"));
    assertThat(((Answered) ask(withSchema(request("c"), SCHEMA))).text()).isEqualTo("{\"n\": 1}");
    assertThat(server.chats().getLast().messages("assistant")).isEmpty();
  }

  @Test
  void aReplyThatIsCutTwiceSaysSo() throws Exception {
    server.chat(request -> cut("null", "thought on and on"));
    Failed failed = (Failed) ask(request("c"));
    assertThat(failed.failure().kind()).isEqualTo(Kind.BAD_REPLY);
    assertThat(failed.failure())
        .hasMessageContaining("was cut at its bound of 200 tokens: it has reasoning but no answer");
    assertThat(server.chats()).hasSize(2);
    assertThat(failed.failure().usage().completionTokens()).isEqualTo(100);
  }

  @Test
  void loopIsLeftAsSoonAsItIsSeenAndAskedOnceMoreAgainstRepeating() throws Exception {
    server.chat(request ->
        request.json().has("frequency_penalty")
            ? Reply.answer("{\"n\": 1}")
            : Reply.eventsThenHang(loop()));
    Answered answered = (Answered) ask(withSchema(request("c"), SCHEMA));
    assertThat(answered.text()).isEqualTo("{\"n\": 1}");
    assertThat(server.chats()).extracting(ReplyRoomTest::room).containsExactly(50, 50);
    assertThat(answered.usage().completionTokens()).isGreaterThan(100);
  }

  @Test
  void loopThatIsNotLeftIsNotAskedAThirdTime() throws Exception {
    server.chat(request -> cut("\"{\\\"n\\\": \\\"" + "1. ".repeat(200) + "\"", ""));
    Failed failed = (Failed) ask(withSchema(request("c"), SCHEMA));
    assertThat(failed.failure().kind()).isEqualTo(Kind.BAD_REPLY);
    assertThat(failed.failure())
        .hasMessageContaining("twice gave a reply")
        .hasMessageContaining("its words repeat without an end");
    assertThat(server.chats()).extracting(ReplyRoomTest::room).containsExactly(50, 50);
  }

  @Test
  void loopInTextThatMayBeCutIsTheCallersToStop() throws Exception {
    String[] events = Arrays.copyOf(loop(), 202);
    events[200] = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}";
    events[201] = "data: [DONE]";
    server.chat(request -> Reply.events(events));
    InferenceRequest request = request("c");
    Answered answered = (Answered) ask(request.reply(request.reply().cutAllowed()));
    assertThat(answered.text()).hasSize(600);
    assertThat(server.chats()).hasSize(1);
  }

  private static String[] loop() {
    return Collections.nCopies(
            200, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"1. \"}}]}")
        .toArray(new String[0]);
  }

  @Test
  void textThatIsCutIsTheCallersToJudge() throws Exception {
    server.chat(request -> cut("\"once upon a\"", ""));
    Answered answered = (Answered) ask(request("c"));
    assertThat(answered.text()).isEqualTo("once upon a");
    assertThat(answered.finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(server.chats()).hasSize(1);
  }

  @Test
  void aPromptThatCannotFitIsRefusedBeforeItIsSentWithBothNumbers() throws Exception {
    lists(4096);
    Failed failed = (Failed) ask(over(10_000));
    assertThat(failed.failure().kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(failed.failure().getMessage())
        .contains("the prompt has about 10009 tokens, but small")
        .endsWith("takes 4096");
    assertThat(server.chats()).isEmpty();
  }

  @Test
  void theReplyGetsNoMoreRoomThanThereIs() throws Exception {
    lists(4096);
    assertThat(ask(over(4060))).isInstanceOf(Answered.class);
    assertThat(server.chats()).extracting(ReplyRoomTest::room).containsExactly(27);
  }

  @Test
  void whatTheServerCountsIsBelieved() throws Exception {
    server.chat(request ->
        room(request) > 30
            ? ScriptedServers.error(
                400,
                "This model's maximum context length is 4096 tokens. However, you requested 4116"
                    + " tokens (4066 in the messages, 50 in the completion). Please reduce the"
                    + " length of the messages or completion.",
                "messages",
                "context_length_exceeded")
            : Reply.answer("fine"));
    assertThat(ask(request("c"))).isInstanceOf(Answered.class);
    assertThat(server.chats()).extracting(ReplyRoomTest::room).containsExactly(50, 30);
  }

  @Test
  void limitThatARefusalNamesIsKnownToTheNextPrompt() throws Exception {
    server.chat(request ->
        ScriptedServers.error(
            400,
            "This model's maximum context length is 4096 tokens. However, your prompt contains at"
                + " least 4097 input tokens.",
            "messages",
            "context_length_exceeded"));
    ModelServer client = client();
    assertThat(((Failed) ask(client, over(6000))).failure().kind()).isEqualTo(Kind.TOO_LONG);
    Failed unsent = (Failed) ask(client, over(6000));
    assertThat(unsent.failure()).hasMessageContaining("takes 4096");
    assertThat(server.chats()).hasSize(1);
  }

  @Test
  void tokensThatTheServerCountsAreWhatTheNextPromptsAreMeasuredBy() throws Exception {
    lists(4096);
    server.chat(request ->
        Reply.status(
            200,
            """
            {"choices":[{"finish_reason":"stop","message":{"content":"fine"}}],
             "usage":{"prompt_tokens":2400,"completion_tokens":5}}
            """));
    ModelServer client = client();
    assertThat(ask(client, over(1190))).isInstanceOf(Answered.class);
    assertThat(ask(client, over(2022))).isInstanceOf(Answered.class);
    assertThat(server.chats()).extracting(ReplyRoomTest::room).containsExactly(50, 31);
    Failed unsent = (Failed) ask(client, over(4000));
    assertThat(unsent.failure().kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(server.chats()).hasSize(2);
  }

  @Test
  void aPromptThatTheServerFindsTooLongIsNotAskedAgain() throws Exception {
    server.chat(request ->
        ScriptedServers.error(
            400,
            "the request exceeds the available context size (4096 tokens), try increasing it",
            "",
            "exceed_context_size_error"));
    Failed failed = (Failed) ask(request("c"));
    assertThat(failed.failure().kind()).isEqualTo(Kind.TOO_LONG);
    assertThat(failed.failure().retryable()).isFalse();
    assertThat(server.chats()).hasSize(1);
  }

  @Test
  void aModelOfEmbeddingsIsNotAsked() throws Exception {
    server.models(request ->
        Reply.status(
            200,
            "{\"data\":[{\"id\":\"text-embedding-3-small\"},{\"id\":\"bge-m3\"},{\"id\":\"big\"}]}"));
    assertThat(ask(request("c"))).isInstanceOf(Answered.class);
    assertThat(server.chats().getFirst().json().path("model").asText()).isEqualTo("big");
  }

  @Test
  void whereOnlyEmbeddingsAreListedTheOperatorHasToName() throws Exception {
    server.models(request -> Reply.status(200, "{\"data\":[{\"id\":\"bge-m3\"}]}"));
    Failed failed = (Failed) ask(request("c"));
    assertThat(failed.failure()).hasMessageContaining("lists no model that answers prompts");
  }

  private void lists(int context) {
    server.models(request ->
        Reply.status(
            200, "{\"data\":[{\"id\":\"small\",\"max_model_len\":%d}]}".formatted(context)));
  }

  private static InferenceRequest over(int tokens) {
    InferenceRequest request = request("c");
    return request.prompt(
        Prompt.of(
            request.prompt().preamble(),
            List.of(new PromptPage("p", "text", tokens)),
            "Question: what?"));
  }

  private static Reply cut(String content, String reasoning) {
    return Reply.status(
        200,
        """
        {"choices":[{"finish_reason":"length",
          "message":{"content":%s,"reasoning_content":"%s"}}],
         "usage":{"prompt_tokens":100,"completion_tokens":50}}
        """
            .formatted(content, reasoning));
  }

  private static int room(RecordingModelServer.Recorded request) {
    return request.json().path("max_tokens").asInt();
  }

  private Attempt ask(InferenceRequest request) throws InterruptedException {
    return ask(client(), request);
  }

  private ModelServer client() {
    return new ModelServer(server.uri(), ProviderSettings.fromConfig(config()), http);
  }

  private static Attempt ask(ModelServer client, InferenceRequest request)
      throws InterruptedException {
    return client.complete(request, "r", Duration.ofSeconds(20), part -> {}, new UsageTally());
  }
}
