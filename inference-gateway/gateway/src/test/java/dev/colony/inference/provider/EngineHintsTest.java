package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What servers are told beside a prompt. */
class EngineHintsTest {

  private static final String VLLM =
      "{\"object\":\"list\",\"data\":[{\"id\":\"smollm2\",\"object\":\"model\","
          + "\"owned_by\":\"vllm\",\"max_model_len\":8192}]}";

  private final RecordingModelServer server =
      RecordingModelServer.start(r -> Reply.answer("fine", 64));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);
  private final ModelServer client =
      new ModelServer(server.uri(), ProviderSettings.fromConfig(config()), http);

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  private Recorded sent(InferenceRequest request) throws Exception {
    client.complete(
        request, request.callId(), Duration.ofSeconds(20), part -> {}, new UsageTally());
    return server.chats().getLast();
  }

  @Test
  void vllmIsToldTheSessionAndThePriority() throws Exception {
    server.models(asked -> Reply.status(200, VLLM));
    InferenceRequest call = request("call-1");
    Recorded alone = sent(call);
    assertThat(alone.headers()).containsEntry("x-session-id", "call-1");
    assertThat(alone.headers()).doesNotContainKey("x-vllm-priority");
    assertThat(alone.json().at("/vllm_xargs/kv_cache_report_mode").asText()).isEqualTo("full");

    Recorded urgent =
        sent(call.context(call.context().session(Optional.of("caf\u00e9 1")).priority(9)));
    assertThat(urgent.headers())
        .containsEntry("x-session-id", "caf__1")
        .as("lower is earlier")
        .containsEntry("x-vllm-priority", "-4");

    Recorded own =
        sent(
            call.context(call.context().priority(0))
                .extraFields(
                    Map.of(
                        "session_id", json("\"mine\""),
                        "priority", json("2"),
                        "vllm_xargs", json("{\"kv_cache_report_mode\":\"incremental\"}"))));
    assertThat(own.headers())
        .containsEntry("x-session-id", "mine")
        .doesNotContainKey("x-vllm-priority");
    assertThat(own.json().path("priority").asInt()).isEqualTo(2);
    assertThat(own.json().at("/vllm_xargs/kv_cache_report_mode").asText()).isEqualTo("incremental");
  }

  @Test
  void everyServerIsToldTheSpan() throws Exception {
    String span = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    InferenceRequest call = request("call-1");
    assertThat(sent(call).headers()).doesNotContainKey("traceparent");
    assertThat(sent(call.context(call.context().traceparent(Optional.of(span)))).headers())
        .containsEntry("traceparent", span);
  }

  @Test
  void dynamoIsToldBothInHeaders() throws Exception {
    server.models(asked ->
        Reply.status(
            200,
            "{\"object\":\"list\",\"data\":[{\"id\":\"qwen3\",\"object\":\"object\",\"created\":1,"
                + "\"owned_by\":\"nvidia\"}]}"));
    InferenceRequest call = request("call-1");
    Recorded urgent = sent(call.context(call.context().session(Optional.of("s1")).priority(9)));
    assertThat(urgent.headers())
        .containsEntry("x-dynamo-session-id", "s1")
        .as("higher is earlier")
        .containsEntry("x-dynamo-request-priority", "4")
        .doesNotContainKeys("x-session-id", "x-vllm-priority");
    assertThat(urgent.json().has("nvext")).as("the body is as of any other server").isFalse();
    assertThat(urgent.json().has("vllm_xargs")).isFalse();

    Recorded usual = sent(call);
    assertThat(usual.headers()).doesNotContainKey("x-dynamo-request-priority");

    Recorded own =
        sent(
            call.context(call.context().priority(9))
                .extraFields(Map.of("nvext", json("{\"agent_hints\":{\"priority\":1}}"))));
    assertThat(own.headers()).doesNotContainKey("x-dynamo-request-priority");
    assertThat(own.json().at("/nvext/agent_hints/priority").asInt()).isEqualTo(1);
  }

  @Test
  void whatIsRefusedIsNotSentAgain() throws Exception {
    server.models(asked -> Reply.status(200, VLLM));
    server.chat(request ->
        request.json().has("vllm_xargs")
            ? Reply.status(
                400,
                "{\"error\":{\"message\":\"[{'type': 'extra_forbidden', 'loc': ('body', "
                    + "'vllm_xargs'), 'msg': 'Extra inputs are not permitted'}]\","
                    + "\"type\":\"BadRequestError\",\"code\":400}}")
            : Reply.answer("fine", 64));
    sent(request("call-1"));
    sent(request("call-2"));
    assertThat(server.chats()).as("one refusal, then two answers").hasSize(3);
  }

  @Test
  void aServerThatIsNotKnownIsToldNothing() throws Exception {
    Recorded sent = sent(request("call-1"));
    assertThat(sent.headers())
        .doesNotContainKeys("x-session-id", "x-vllm-priority", "x-dynamo-session-id");
    assertThat(sent.json().has("vllm_xargs")).isFalse();
  }
}
