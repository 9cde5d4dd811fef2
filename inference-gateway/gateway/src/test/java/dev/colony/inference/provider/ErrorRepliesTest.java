package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Errors with the status 200: as the whole body, and in the place of the first event. */
class ErrorRepliesTest {

  private static final List<String> DIALECTS = List.of("default", "openai-responses", "anthropic");

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);
  private final UsageTally spent = new UsageTally();

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  private record Row(String body, Kind kind, String words) {

    @Override
    public String toString() {
      return body;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row(
            "{\"error\":{\"message\":\"upstream is overloaded\",\"code\":503}}",
            Kind.OVERLOADED,
            "upstream is overloaded"),
        new Row(
            "{\"error\":{\"message\":\"upstream is overloaded\",\"code\":\"503\"}}",
            Kind.OVERLOADED,
            "upstream is overloaded"),
        new Row("{\"error\":{\"message\":\"slow down\",\"code\":429}}", Kind.OVERLOADED, "slow"),
        new Row(
            "{\"error\":{\"message\":\"Internal error\",\"code\":502,\"metadata\":{}},"
                + "\"user_id\":\"u\"}",
            Kind.SERVER_ERROR,
            "Internal error"),
        new Row(
            "{\"error\":{\"message\":\"no such model\",\"code\":\"404\"}}",
            Kind.REFUSED,
            "no such model"),
        new Row("{\"error\":\"it broke\"}", Kind.SERVER_ERROR, "it broke"),
        new Row("{\"error\":\"it broke\",\"choices\":[]}", Kind.SERVER_ERROR, "it broke"),
        new Row(
            "{\"error\":{\"message\":\"pay\",\"type\":\"insufficient_quota\"}}", Kind.QUOTA, "pay"),
        new Row(
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
                + "\"Overloaded\"}}",
            Kind.OVERLOADED,
            "Overloaded"),
        new Row(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
                + "\"no\"}}",
            Kind.REFUSED,
            "no"),
        new Row(
            "{\"object\":\"error\",\"message\":\"no room\",\"type\":\"ServiceUnavailable\","
                + "\"code\":503}",
            Kind.OVERLOADED,
            "no room"),
        new Row(
            "{\"detail\":\"Internal Server Error\"}", Kind.SERVER_ERROR, "Internal Server Error"),
        new Row("{\"message\":\"upstream timed out\"}", Kind.SERVER_ERROR, "upstream timed out"),
        new Row("{\"error\":true,\"message\":\"it broke\"}", Kind.SERVER_ERROR, "it broke"),
        new Row(
            "{\"status\":500,\"error\":\"Internal Server Error\",\"message\":\"no slot is left\"}",
            Kind.SERVER_ERROR,
            "Internal Server Error: no slot is left"),
        new Row(
            "{\"statusCode\":429,\"message\":\"Rate limit is exceeded.\"}",
            Kind.OVERLOADED,
            "Rate limit is exceeded"),
        new Row(
            "{\"success\":false,\"errors\":[{\"code\":7003,\"message\":\"could not route\"}]}",
            Kind.SERVER_ERROR,
            "could not route"),
        new Row(
            "{\"choices\":null,\"base_resp\":{\"status_code\":1000,\"status_msg\":\"unknown"
                + " error\"}}",
            Kind.SERVER_ERROR,
            "unknown error"),
        new Row(
            "{\"code\":50505,\"msg\":\"model is busy\",\"data\":null}",
            Kind.SERVER_ERROR,
            "model is busy"),
        new Row(
            "{\"choices\":[{\"error\":{\"message\":\"gone\",\"code\":502},\"finish_reason\":"
                + "\"error\",\"message\":{\"content\":\"\"}}]}",
            Kind.SERVER_ERROR,
            "gone"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void anErrorWithTheStatus200IsThatError(Row row) throws Exception {
    for (String dialect : DIALECTS) {
      for (Reply reply :
          List.of(Reply.status(200, row.body()), Reply.events("data: " + row.body()))) {
        server.chat(request -> reply);
        InferenceException failure = failure(dialect);
        assertThat(failure.kind()).as("%s, %s", dialect, reply).isEqualTo(row.kind());
        assertThat(failure).hasMessageContaining(row.words());
        assertThat(spent.total()).as("nothing was generated").isEqualTo(Usage.NONE);
      }
    }
  }

  @Test
  void anErrorMayStandBareInAStream() throws Exception {
    String error =
        "{\"error\":{\"code\":503,\"message\":\"no slot\",\"type\":\"unavailable_error\"}}";
    for (String line : List.of(error, "error: " + error, "event: error\ndata: " + error)) {
      server.chat(request -> Reply.events(line));
      InferenceException failure = failure("default");
      assertThat(failure.kind()).as(line).isEqualTo(Kind.OVERLOADED);
      assertThat(failure).hasMessageContaining("no slot");
    }
  }

  /** What came before is no whole reply. */
  @Test
  void aServerSaysThatItHasFailedByTheReasonWhyItsReplyEnds() throws Exception {
    for (String reason :
        List.of("error", "abort", "network_error", "insufficient_system_resource")) {
      String choice =
          "{\"choices\":[{\"index\":0,\"finish_reason\":\"%s\",\"%s\":{\"content\":\"The sh\"}}]}";
      for (Reply reply :
          List.of(
              Reply.status(200, choice.formatted(reason, "message")),
              Reply.events("data: " + choice.formatted(reason, "delta"), "data: [DONE]"))) {
        server.chat(request -> reply);
        InferenceException failure = failure("default");
        assertThat(failure).hasMessageContaining("it ended with " + reason);
        assertThat(failure.retryable()).isTrue();
      }
    }
  }

  @Test
  void aResponseThatHasNotEndedIsNoReply() throws Exception {
    for (String status : List.of("cancelled", "in_progress", "queued")) {
      server.chat(request ->
          Reply.status(
              200,
              ("{\"status\":\"%s\",\"output\":[{\"type\":\"message\",\"content\":[{\"text\":"
                      + "\"The sh\"}]}]}")
                  .formatted(status)));
      InferenceException failure = failure("openai-responses");
      assertThat(failure.kind()).isEqualTo(Kind.BROKEN_OFF);
      assertThat(failure).hasMessageContaining("it is " + status);
    }
  }

  /** For a reason that is not known. */
  @Test
  void aResponseThatIsIncompleteIsCut() throws Exception {
    server.chat(request ->
        Reply.status(
            200,
            "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_tokens\"},"
                + "\"output\":[{\"type\":\"message\",\"content\":[{\"text\":\"The sh\"}]}]}"));
    assertThat(((Attempt.Answered) ask("openai-responses")).finish())
        .isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void whenToComeBackIsKept() throws Exception {
    server.chat(request ->
        Reply.status(
            200, Map.of("Retry-After", "7"), "{\"error\":{\"message\":\"busy\",\"code\":503}}"));
    assertThat(failure("default").retryAfter()).contains(Duration.ofSeconds(7));
  }

  @Test
  void aListOfModelsThatIsAnErrorIsThatError() throws Exception {
    server.models(
        request -> Reply.status(200, "{\"error\":{\"message\":\"starting\",\"code\":503}}"));
    InferenceException failure = failure("default");
    assertThat(failure.kind()).isEqualTo(Kind.OVERLOADED);
    assertThat(failure).hasMessageContaining("starting");
  }

  @Test
  void aReplyWhoseErrorIsNullIsAReply() throws Exception {
    for (String none : List.of("null", "{}", "\"\"", "false")) {
      server.chat(request ->
          Reply.status(
              200,
              "{\"error\":%s,\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"hi\"}}]}"
                  .formatted(none)));
      assertThat(ask("default")).isInstanceOf(Attempt.Answered.class);
    }
  }

  /** As llama-cpp-python's server does. */
  @Test
  void aServerMayTakeNoRequestIdButAUuid() throws Exception {
    server.chat(request -> {
      try {
        UUID.fromString(request.headers().get("x-request-id"));
        return Reply.answer("fine");
      } catch (IllegalArgumentException none) {
        return Reply.status(400, "");
      }
    });
    ModelServer client = client("default");
    for (int i = 0; i < 2; i++) {
      assertThat(ask(client)).isInstanceOf(Attempt.Answered.class);
    }
    assertThat(server.chats().stream().map(sent -> sent.headers().get("x-request-id")).distinct())
        .as("a retry has the id of the call")
        .hasSize(1);
  }

  private InferenceException failure(String dialect) throws InterruptedException {
    return ((Failed) ask(dialect)).failure();
  }

  private Attempt ask(String dialect) throws InterruptedException {
    return ask(client(dialect));
  }

  private ModelServer client(String dialect) {
    return new ModelServer(
        server.uri(), ProviderSettings.fromConfig(config("client.dialect = " + dialect)), http);
  }

  private Attempt ask(ModelServer client) throws InterruptedException {
    return client.complete(request("c"), "r", Duration.ofSeconds(20), part -> {}, spent);
  }
}
