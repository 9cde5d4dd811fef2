package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.withSchema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.Attempt.Answered;
import dev.colony.inference.provider.ModelClient.Attempt.Failed;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ModelServerTest {

  private static final String ANSWER_SCHEMA =
      """
      {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}},
       "required": ["n"], "additionalProperties": false}
      """;
  private static final Duration LONG = Duration.ofSeconds(20);

  private final RecordingModelServer server =
      RecordingModelServer.start(r -> Reply.answer("fine", 64));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  @Test
  void aRequestIsLaidOutAsPreamblePagesSuffix() throws Exception {
    complete(client(server.uri(), "client.api-key = secret"), request("call-1", "p1", "p2"), LONG);

    Recorded sent = server.chats().getFirst();
    assertThat(sent.messages("system")).containsExactly("You answer from pages.");
    assertThat(sent.messages("user"))
        .containsExactly("text of p1", "text of p2", "Question: what?");
    assertThat(sent.json().path("model").asText()).isEqualTo(RecordingModelServer.MODEL);
    assertThat(sent.json().path("max_tokens").asInt()).isEqualTo(50);
    assertThat(sent.json().path("temperature").asInt()).isZero();
    assertThat(sent.json().has("response_format")).isFalse();
    assertThat(sent.headers())
        .containsEntry("x-colony-pages", "p1,p2")
        .containsEntry("idempotency-key", "call-1")
        .containsEntry("authorization", "Bearer secret");
  }

  @Test
  void aStreamIsKnownByItsTypeOrByHowItBegins() throws Exception {
    for (String type : List.of("Text/Event-Stream; charset=utf-8", "text/plain")) {
      server.chat(request ->
          Reply.status(
              200,
              Map.of("Content-Type", type),
              "data: {\"choices\":[{\"delta\":{\"content\":\"fine\"}}]}\n\n"
                  + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                  + "data: [DONE]\n\n"));
      assertThat(((Answered) complete(client(server.uri()), request("c"), LONG)).text())
          .isEqualTo("fine");
    }
  }

  @Test
  void callsThatBeginAtOnceAllFindWhereTheModelsAreListed() throws Exception {
    CountDownLatch asking = new CountDownLatch(1);
    CountDownLatch found = new CountDownLatch(1);
    server.models(asked -> {
      if (asked.path().equals("/llm/v1/models")) {
        return Reply.status(200, "{\"data\":[{\"id\":\"m\"}]}");
      }
      if (asking.getCount() > 0) {
        asking.countDown();
        wait(found);
      }
      return Reply.status(404, "");
    });
    ModelServer client = client(URI.create(server.uri() + "/llm"));
    Future<Attempt> slow =
        threads.submit(
            () -> client.complete(request("slow"), "r", LONG, part -> {}, new UsageTally()));
    asking.await();
    complete(client, request("fast"), LONG);
    found.countDown();
    assertThat(slow.get()).isInstanceOf(Answered.class);
  }

  private static void wait(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void theSamePagesGiveTheSameBytesUpToTheSuffix() throws Exception {
    ModelServer client = client(server.uri());
    complete(client, request("call-1", "p1", "p2"), LONG);
    complete(client, request("call-2", "p1", "p2"), LONG);
    List<Recorded> sent = server.chats();
    assertThat(sent.get(0).body()).isEqualTo(sent.get(1).body());
  }

  @Test
  void aConfiguredModelIsAskedForAlsoWhereItIsNotListed() throws Exception {
    complete(client(server.uri(), "client.model = special"), request("c"), LONG);
    assertThat(server.chats().getFirst().json().path("model").asText()).isEqualTo("special");
  }

  @Test
  void theModelsAreListedOnce() throws Exception {
    ModelServer client = client(server.uri());
    complete(client, request("c1"), LONG);
    complete(client, request("c2"), LONG);
    assertThat(server.requests()).hasSize(3);
  }

  @ParameterizedTest
  @MethodSource("suffixes")
  void theAddressMayEndInV1(String suffix) throws Exception {
    Attempt attempt = complete(client(URI.create(server.uri() + suffix)), request("c"), LONG);
    assertThat(attempt).isInstanceOf(Answered.class);
  }

  static List<String> suffixes() {
    return List.of("", "/", "/v1", "/v1/");
  }

  @Test
  void theReplyCarriesTextAndUsage() throws Exception {
    Attempt attempt = complete(client(server.uri()), request("c", "p"), LONG);
    Answered answered = (Answered) attempt;
    assertThat(answered.text()).isEqualTo("fine");
    assertThat(answered.usage()).isEqualTo(new Usage(100, 64, 10));
    assertThat(answered.cachedTokens()).hasValue(64);
    assertThat(answered.model()).isEqualTo(RecordingModelServer.MODEL);
    assertThat(answered.finish()).isEqualTo(FinishReason.STOP);
  }

  @Test
  void whereAServerLeavesItsUsageOutItIsEstimated() throws Exception {
    server.chat(r -> Reply.status(200, "{\"choices\":[{\"message\":{\"content\":\"eight ch\"}}]}"));
    Answered answered = (Answered) complete(client(server.uri()), request("c", "p"), LONG);
    assertThat(answered.usage()).isEqualTo(new Usage(109, 0, 2));
    assertThat(answered.cachedTokens()).isEmpty();
  }

  @Test
  void aReplyThatSatisfiesTheSchemaIsTakenAsItIs() throws Exception {
    server.chat(r -> Reply.answer("{\"n\": 7}"));
    Attempt attempt = complete(client(server.uri()), constrained(), LONG);
    assertThat(((Answered) attempt).text()).isEqualTo("{\"n\": 7}");
    JsonNode format = server.chats().getFirst().json().path("response_format");
    assertThat(format.path("type").asText()).isEqualTo("json_schema");
    assertThat(format.at("/json_schema/schema/required/0").asText()).isEqualTo("n");
  }

  @Test
  void aMarkdownFenceIsTakenOff() throws Exception {
    server.chat(r -> Reply.answer("```json\n{\"n\": 7}\n```"));
    Attempt attempt = complete(client(server.uri()), constrained(), LONG);
    assertThat(((Answered) attempt).text()).isEqualTo("{\"n\":7}");
    assertThat(server.chats()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("violations")
  void aViolationIsRepairedOnceAndTheModelIsShownWhatWasWrong(String bad, String shown)
      throws Exception {
    server.chat(r -> Reply.answer(r.messages("assistant").isEmpty() ? bad : "{\"n\": 3}"));

    Attempt attempt = complete(client(server.uri()), constrained(), LONG);

    assertThat(((Answered) attempt).text()).isEqualTo("{\"n\": 3}");
    assertThat(((Answered) attempt).usage()).isEqualTo(new Usage(200, 0, 20));
    Recorded repair = server.chats().getLast();
    assertThat(repair.messages("assistant")).containsExactly(bad.isEmpty() ? "(nothing)" : bad);
    assertThat(repair.messages("user").getLast()).contains(shown);
    assertThat(repair.headers()).containsEntry("idempotency-key", "c-repair");
  }

  static Stream<Arguments> violations() {
    return Stream.of(
        Arguments.of("I think it is 7", "not JSON"),
        Arguments.of("", "empty"),
        Arguments.of("{}", "n"),
        Arguments.of("{\"n\": 0}", "minimum"),
        Arguments.of("{\"n\": 7, \"m\": 1}", "m"));
  }

  @Test
  void twoViolationsAreABadReply() throws Exception {
    server.chat(r -> Reply.answer("nope"));
    Failed failed = (Failed) complete(client(server.uri()), constrained(), LONG);
    assertThat(failed.failure().kind()).isEqualTo(Kind.BAD_REPLY);
    assertThat(failed.failure())
        .hasMessageContaining("twice gave a reply that is not as it has to be");
    assertThat(server.chats()).hasSize(2);
  }

  @Test
  void aReplyBeyondTheBoundIsBookedByWhatCameOfIt() throws Exception {
    server.chat(r -> Reply.status(200, "x".repeat(70_000)));
    UsageTally spent = new UsageTally();
    Attempt attempt =
        client(server.uri()).complete(request("c"), "replica", LONG, part -> {}, spent);
    assertThat(attempt).isInstanceOf(Failed.class);
    assertThat(spent.total().promptTokens()).isPositive();
    assertThat(spent.total().completionTokens()).isBetween(65_536L / 4, 70_000L / 4);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("misbehaviours")
  void everyMisbehaviourHasItsKindAndOneClearLine(
      String name, Reply reply, Kind kind, boolean retryable, String words) throws Exception {
    server.chat(r -> reply);

    Failed failed = (Failed) complete(client(server.uri()), request("c"), Duration.ofMillis(500));

    assertThat(failed.failure().kind()).isEqualTo(kind);
    assertThat(failed.failure().retryable()).isEqualTo(retryable);
    assertThat(failed.failure().getMessage())
        .contains(server.uri().toString())
        .contains(words)
        .doesNotContain("\n");
  }

  static Stream<Arguments> misbehaviours() {
    String ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    return Stream.of(
        Arguments.of("hang", Reply.hang(), Kind.TIMEOUT, true, "within"),
        Arguments.of("slow head", Reply.rawThenHang("HTTP/1.1 20"), Kind.TIMEOUT, true, "within"),
        Arguments.of(
            "slow headers", Reply.rawThenHang(ok + "X-A: b\r\n"), Kind.TIMEOUT, true, "within"),
        Arguments.of(
            "slow body",
            Reply.rawThenHang(ok + "Content-Length: 50\r\n\r\n{\"choi"),
            Kind.TIMEOUT,
            true,
            "within"),
        Arguments.of("closed", Reply.raw(""), Kind.BROKEN_OFF, true, "broke off"),
        Arguments.of(
            "truncated",
            Reply.raw(ok + "Content-Length: 50\r\n\r\n{\"choi"),
            Kind.BROKEN_OFF,
            true,
            "broke off"),
        Arguments.of(
            "no HTTP", Reply.raw("SSH-2.0-OpenSSH\r\n\r\n"), Kind.BAD_REPLY, false, "not speak"),
        Arguments.of("nonsense", Reply.status(200, "<html>hello"), Kind.BAD_REPLY, false, "JSON"),
        Arguments.of("empty", Reply.status(200, ""), Kind.BAD_REPLY, false, "JSON"),
        Arguments.of("array", Reply.status(200, "[1]"), Kind.BAD_REPLY, false, "no JSON object"),
        Arguments.of("other JSON", Reply.status(200, "{}"), Kind.BAD_REPLY, false, "message"),
        Arguments.of(
            "no content",
            Reply.status(200, "{\"choices\":[{\"message\":{\"content\":null}}]}"),
            Kind.BAD_REPLY,
            false,
            "it is empty"),
        Arguments.of(
            "refusal",
            Reply.status(200, "{\"choices\":[{\"message\":{\"refusal\":\"I won't\"}}]}"),
            Kind.BAD_REPLY,
            false,
            "I won't"),
        Arguments.of(
            "too large", Reply.status(200, "x".repeat(70_000)), Kind.BAD_REPLY, false, "larger"),
        Arguments.of(
            "500",
            Reply.status(500, "{\"error\":{\"message\":\"out of\\nmemory\"}}"),
            Kind.SERVER_ERROR,
            true,
            "500: out of memory"),
        Arguments.of("502", Reply.status(502, "<html>bad"), Kind.SERVER_ERROR, true, "502"),
        Arguments.of("429", Reply.status(429, ""), Kind.OVERLOADED, true, "429"),
        Arguments.of("408", Reply.status(408, ""), Kind.TIMEOUT, true, "408"),
        Arguments.of("400", Reply.status(400, "no such thing"), Kind.REFUSED, false, "no such"),
        Arguments.of("401", Reply.status(401, ""), Kind.REFUSED, false, "401"),
        Arguments.of("404", Reply.status(404, ""), Kind.REFUSED, false, "404"),
        Arguments.of("redirect", Reply.status(302, ""), Kind.BAD_REPLY, false, "302"));
  }

  @Test
  void aRefusedConnectionIsUnreachable() throws Exception {
    URI silent = URI.create("http://127.0.0.1:" + freePort());
    Failed failed = (Failed) complete(client(silent), request("c"), LONG);
    assertThat(failed.failure().kind()).isEqualTo(Kind.UNREACHABLE);
    assertThat(failed.failure()).hasMessageContaining(silent.toString());
  }

  @Test
  void retryAfterIsHandedOn() throws Exception {
    server.chat(r -> Reply.status(429, Map.of("Retry-After", "7"), ""));
    Failed failed = (Failed) complete(client(server.uri()), request("c"), LONG);
    assertThat(failed.failure().retryAfter()).hasValue(Duration.ofSeconds(7));
  }

  @Test
  void anInterruptReachesTheServer() throws Exception {
    server.chat(r -> Reply.hang());
    Thread call =
        Thread.ofVirtual()
            .start(() -> {
              try {
                complete(client(server.uri()), request("c"), LONG);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    await().until(() -> server.chats().size() == 1);
    call.interrupt();
    await().until(() -> server.abandoned() == 1);
    call.join();
  }

  @Test
  void aTimeoutReachesTheServerToo() throws Exception {
    server.chat(r -> Reply.hang());
    complete(client(server.uri()), request("c"), Duration.ofMillis(300));
    await().until(() -> server.abandoned() == 1);
  }

  @Test
  void settingsNeverPrintTheKey() {
    assertThat(settings("client.api-key = secret").toString()).doesNotContain("secret");
  }

  private static InferenceRequest constrained() {
    return withSchema(request("c", "p"), ANSWER_SCHEMA);
  }

  private ModelServer client(URI uri, String... lines) {
    return new ModelServer(uri, settings(lines), new HttpExchanges(http, 65536), "colony");
  }

  private static Attempt complete(ModelServer client, InferenceRequest request, Duration timeout)
      throws InterruptedException {
    return client.complete(request, "replica", timeout, part -> {}, new UsageTally());
  }

  private static ProviderSettings settings(String... lines) {
    return ProviderSettings.fromConfig(config(lines));
  }
}
