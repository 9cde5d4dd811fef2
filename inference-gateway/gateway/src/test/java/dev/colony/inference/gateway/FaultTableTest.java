package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static dev.colony.inference.InferenceFixtures.hurried;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.Usage;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What goes wrong at a server: what the caller sees, what is asked again, and what is billed. docs/
 * inference.md has the same table.
 */
class FaultTableTest {

  private static final String BEGIN =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"eight ch\"}}]}";
  private static final String HALF = "data: {\"choices\":[{\"index\":0,\"delta\":{\"con";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

  /** The estimate of the prompt of a call without pages, and of what was begun of its reply. */
  private static final Usage BEGUN = new Usage(9, 0, 2);

  /**
   * A row.
   *
   * @param requests how many reach the server while it does nothing else
   * @param billed by the failed call
   * @param passing whether a server that does it once is forgiven
   */
  private record Row(
      String fault,
      Reply reply,
      Kind kind,
      String words,
      int requests,
      Usage billed,
      boolean passing) {

    @Override
    public String toString() {
      return fault;
    }
  }

  static List<Row> rows() {
    return List.of(
        row("refuses", Reply.status(400, "no"), Kind.REFUSED, "answered 400: no", 1, Usage.NONE),
        row("key refused", Reply.status(401, ""), Kind.REFUSED, "answered 401", 1, Usage.NONE),
        row(
            "dies before its reply",
            Reply.raw(""),
            Kind.BROKEN_OFF,
            "broke off its reply",
            3,
            Usage.NONE),
        row(
            "dies in mid-stream",
            Reply.eventsThenClose(BEGIN),
            Kind.BROKEN_OFF,
            "broke off its reply",
            3,
            BEGUN.plus(BEGUN).plus(BEGUN)),
        row(
            "hangs before the first token",
            Reply.eventsThenHang(": comment"),
            Kind.TIMEOUT,
            "began no reply within",
            3,
            new Usage(9, 0, 0)),
        row(
            "hangs between tokens",
            Reply.eventsThenHang(BEGIN),
            Kind.TIMEOUT,
            "sent no more of its reply for 200 ms",
            3,
            BEGUN.plus(BEGUN).plus(BEGUN)),
        row(
            "hangs without a head",
            Reply.hang(),
            Kind.TIMEOUT,
            "began no reply within",
            3,
            Usage.NONE),
        row(
            "slow headers",
            Reply.rawThenHang(OK + "X-A: b\r\n"),
            Kind.TIMEOUT,
            "began no reply within",
            3,
            Usage.NONE),
        row(
            "429 with Retry-After",
            Reply.status(429, Map.of("Retry-After", "0"), ""),
            Kind.OVERLOADED,
            "answered 429",
            3,
            Usage.NONE),
        row("429 without", Reply.status(429, ""), Kind.OVERLOADED, "answered 429", 3, Usage.NONE),
        row(
            "quota used up",
            Reply.status(
                429,
                "{\"error\":{\"message\":\"You exceeded your current quota\","
                    + "\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}"),
            Kind.QUOTA,
            "You exceeded your current quota",
            1,
            Usage.NONE),
        row("500", Reply.status(500, "oh"), Kind.SERVER_ERROR, "answered 500: oh", 3, Usage.NONE),
        row("503", Reply.status(503, "full"), Kind.OVERLOADED, "answered 503", 3, Usage.NONE),
        row(
            "an error in mid-stream",
            Reply.events(BEGIN, "data: {\"error\":{\"message\":\"out of memory\"}}"),
            Kind.SERVER_ERROR,
            "broke off its reply: out of memory",
            3,
            BEGUN.plus(BEGUN).plus(BEGUN)),
        row(
            "an error in the place of a reply",
            Reply.status(200, "{\"error\":{\"message\":\"upstream is overloaded\",\"code\":503}}"),
            Kind.OVERLOADED,
            "answered 200 with an error 503: upstream is overloaded",
            3,
            Usage.NONE),
        row(
            "too long",
            Reply.status(400, "{\"error\":\"prompt is too long: 213462 tokens > 200000 maximum\"}"),
            Kind.TOO_LONG,
            "prompt is too long",
            1,
            Usage.NONE),
        row(
            "garbage",
            Reply.status(200, "<html>hello"),
            Kind.BAD_REPLY,
            "something that is not JSON",
            1,
            new Usage(9, 0, 0)),
        row(
            "half JSON",
            Reply.events(BEGIN, HALF),
            Kind.BAD_REPLY,
            "sent a part of its reply that is not JSON",
            1,
            BEGUN),
        row(
            "an empty stream",
            Reply.events("data: [DONE]"),
            Kind.BROKEN_OFF,
            "it ended without saying why",
            3,
            new Usage(9, 0, 0)),
        row(
            "empty replies",
            Reply.answer(""),
            Kind.BAD_REPLY,
            "it is empty",
            2,
            new Usage(200, 0, 20)));
  }

  private static Row row(
      String fault, Reply reply, Kind kind, String words, int requests, Usage billed) {
    boolean passing =
        switch (kind) {
          case REFUSED, QUOTA, OUT_OF_BUDGET, SUSPENDED, TOO_LONG, BAD_REPLY -> false;
          case UNREACHABLE, SERVER_ERROR, OVERLOADED, REJECTED, EVICTED, TIMEOUT, BROKEN_OFF ->
              true;
        };
    return new Row(fault, reply, kind, words, requests, billed, passing);
  }

  private static final Config CONFIG =
      config(
          "client.first-token-timeout = 300 ms",
          "client.next-token-timeout = 200 ms",
          "gateway.max-attempts = 3",
          "gateway.overload-retries = 2");

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private HttpInferenceGateway gateway = gateway(server.uri());

  @AfterEach
  void stop() {
    gateway.close();
    server.close();
  }

  private static HttpInferenceGateway gateway(URI server) {
    return gateway(server, CallObserver.NONE);
  }

  private static HttpInferenceGateway gateway(URI server, CallObserver observer) {
    return new HttpInferenceGateway(
        hurried(CONFIG),
        ModelCatalog.fromConfig(CONFIG),
        RoutingSettings.fromConfig(CONFIG),
        "node",
        ReplicaSet.of(() -> List.of(new Replica("r", server, "node"))),
        ResidencyView.NONE,
        observer,
        BacklogExchange.NONE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void whereItLasts(Row row) {
    server.chat(request -> row.reply());
    InferenceException failure = failure(gateway.complete(request("c")));
    assertThat(failure.kind()).isEqualTo(row.kind());
    assertThat(failure.getMessage()).contains(row.words()).doesNotContain("\n");
    assertThat(server.chats()).hasSize(row.requests());
    assertThat(failure.usage()).isEqualTo(row.billed());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void whereItPasses(Row row) {
    AtomicInteger calls = new AtomicInteger();
    server.chat(request -> calls.getAndIncrement() == 0 ? row.reply() : Reply.answer("fine"));
    CompletableFuture<InferenceReply> call = gateway.complete(request("c"));
    boolean repaired = row.fault().equals("empty replies");
    if (row.passing() || repaired) {
      InferenceReply reply = call.join();
      assertThat(reply.text()).isEqualTo("fine");
      Usage once = new Usage(100, 0, 10);
      assertThat(reply.usage().completionTokens())
          .as("what was begun counts too")
          .isGreaterThanOrEqualTo(once.completionTokens());
      assertThat(server.chats()).hasSize(2);
    } else {
      assertThat(failure(call).kind()).isEqualTo(row.kind());
      assertThat(server.chats()).hasSize(1);
    }
  }

  @Test
  void wrongUsageIsNoneAndTheReplyStands() {
    server.chat(request ->
        Reply.status(
            200,
            "{\"choices\":[{\"message\":{\"content\":\"eight ch\"},\"finish_reason\":\"stop\"}],"
                + "\"usage\":{\"prompt_tokens\":-1,\"completion_tokens\":\"many\"}}"));
    InferenceReply reply = gateway.complete(request("c")).join();
    assertThat(reply.text()).isEqualTo("eight ch");
    assertThat(reply.usage()).isEqualTo(BEGUN);
  }

  @Test
  void aServerThatSpeaksNoTlsIsRefusedAtOnce() {
    gateway.close();
    gateway = gateway(URI.create("https://127.0.0.1:" + server.port()));
    InferenceException failure = failure(gateway.complete(request("c")));
    assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
    assertThat(failure).hasMessageContaining("no secure connection to https://127.0.0.1");
  }

  @Test
  void noServerIsUnreachable() {
    gateway.close();
    gateway = gateway(URI.create("http://127.0.0.1:" + freePort()));
    InferenceException failure =
        failure(gateway.complete(within(request("c"), Duration.ofSeconds(5))));
    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
  }

  @Test
  void agentsCallWaitsUntilItsServerIsThereAgain() {
    int port = server.port();
    server.close();
    AtomicInteger attempts = new AtomicInteger();
    gateway.close();
    gateway =
        gateway(
            server.uri(),
            new CallObserver() {
              @Override
              public void answered(
                  Replica replica, InferenceRequest request, Usage usage, OptionalLong cached) {}

              @Override
              public void sent(Replica replica, InferenceRequest request) {
                attempts.incrementAndGet();
              }
            });
    InferenceRequest asked = within(request("c"), Duration.ofSeconds(60));
    CompletableFuture<InferenceReply> reply =
        gateway.complete(asked.context(asked.context().agent("acme/lab/a")));
    await().until(() -> attempts.get() > 6);
    assertThat(reply).isNotDone();
    try (RecordingModelServer again =
        RecordingModelServer.start(request -> Reply.answer("fine"), port)) {
      assertThat(reply.join().text()).isEqualTo("fine");
      assertThat(again.chats()).hasSize(1);
    }
  }

  @Test
  void partsOfAnAttemptThatFailedAreVoidWithTheNext() {
    AtomicInteger calls = new AtomicInteger();
    server.chat(request ->
        calls.getAndIncrement() == 0 ? Reply.eventsThenClose(BEGIN) : Reply.answer("fine"));
    List<InferenceDelta> parts = new CopyOnWriteArrayList<>();
    CompletableFuture<Optional<Throwable>> end = new CompletableFuture<>();
    gateway.stream(request("c")).subscribe(collector(parts, end, Long.MAX_VALUE));
    assertThat(end.join()).isEmpty();
    assertThat(parts.getLast()).isInstanceOf(InferenceDelta.Done.class);
    int last = 0;
    for (int i = 0; i < parts.size(); i++) {
      last = parts.get(i) instanceof InferenceDelta.Asked ? i : last;
    }
    assertThat(texts(parts.subList(0, last))).isEqualTo("eight ch");
    assertThat(texts(parts.subList(last, parts.size()))).isEqualTo("fine");
  }

  @Test
  void aSubscriberThatLeavesEndsTheCallAtTheServer() {
    server.chat(request -> Reply.eventsThenHang(BEGIN));
    List<InferenceDelta> parts = new CopyOnWriteArrayList<>();
    CompletableFuture<Flow.Subscription> left = new CompletableFuture<>();
    gateway.stream(request("c"))
        .subscribe(
            new Flow.Subscriber<>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(2);
                left.complete(subscription);
              }

              @Override
              public void onNext(InferenceDelta part) {
                parts.add(part);
              }

              @Override
              public void onError(Throwable failure) {}

              @Override
              public void onComplete() {}
            });
    await().until(() -> parts.size() == 2);
    left.join().cancel();
    await().until(() -> server.abandoned() == 1);
    assertThat(server.chats()).hasSize(1);
  }

  private static Flow.Subscriber<InferenceDelta> collector(
      List<InferenceDelta> parts, CompletableFuture<Optional<Throwable>> end, long asks) {
    return new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(asks);
      }

      @Override
      public void onNext(InferenceDelta part) {
        parts.add(part);
      }

      @Override
      public void onError(Throwable failure) {
        end.complete(Optional.of(failure));
      }

      @Override
      public void onComplete() {
        end.complete(Optional.empty());
      }
    };
  }

  private static String texts(List<InferenceDelta> parts) {
    return parts.stream()
        .filter(InferenceDelta.Text.class::isInstance)
        .map(part -> ((InferenceDelta.Text) part).text())
        .collect(Collectors.joining());
  }

  private static InferenceException failure(CompletableFuture<InferenceReply> call) {
    try {
      throw new AssertionError("it was answered: " + call.join());
    } catch (CompletionException failed) {
      return (InferenceException) failed.getCause();
    }
  }
}
