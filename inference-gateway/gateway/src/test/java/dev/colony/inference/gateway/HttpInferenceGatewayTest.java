package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts.RetryClock;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpInferenceGatewayTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  private final RecordingModelServer a = RecordingModelServer.start(r -> Reply.answer("from a"));
  private final RecordingModelServer b = RecordingModelServer.start(r -> Reply.answer("from b"));
  private final List<Replica> replicas =
      new CopyOnWriteArrayList<>(
          List.of(new Replica("a", a.uri(), "node-a"), new Replica("b", b.uri(), "node-b")));
  private final List<AutoCloseable> opened = new ArrayList<>(List.of(a, b));
  private Map<String, Set<String>> holders = Map.of();
  private final SteppedClock clock = new SteppedClock();
  private CallObserver observer = CallObserver.NONE;

  /** A clock that sleeping moves on, at once; waits are the longest that they may be. */
  private static final class SteppedClock implements RetryClock {

    private final List<Duration> slept = new CopyOnWriteArrayList<>();
    private volatile boolean runs;

    @Override
    public long nanos() {
      return (runs ? System.nanoTime() : 0) + slept.stream().mapToLong(Duration::toNanos).sum();
    }

    @Override
    public double random() {
      return 1;
    }

    @Override
    public void sleep(Duration time, Future<?> over) {
      slept.add(time);
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable closeable : opened) {
      closeable.close();
    }
  }

  @Test
  void theOwnNodesReplicaAnswersWhereNothingIsResident() {
    InferenceReply reply = gateway().complete(request("call-1", "p")).join();
    assertThat(reply.callId()).isEqualTo("call-1");
    assertThat(reply.replica()).isEqualTo("a");
    assertThat(reply.text()).isEqualTo("from a");
    assertThat(reply.usage().promptTokens()).isEqualTo(100);
    assertThat(reply.resident()).isFalse();
  }

  @Test
  void theServersLogCanSayWhichNodeCalled() {
    gateway().complete(request("c", "p")).join();
    assertThat(a.chats().getFirst().headers()).containsEntry("user-agent", "colony (node-a)");
  }

  @Test
  void theReplicaThatHoldsThePagesAnswers() {
    holders = Map.of("p", Set.of("b"), "q", Set.of("a", "b"));
    InferenceReply reply = gateway().complete(request("c", "p", "q")).join();
    assertThat(reply.replica()).isEqualTo("b");
    assertThat(reply.resident()).isFalse();
  }

  @Test
  void residentMeansAllPagesInTheOwnNodesReplica() {
    holders = Map.of("p", Set.of("a"), "q", Set.of("a", "b"));
    assertThat(gateway().complete(request("c", "p", "q")).join().resident()).isTrue();
    assertThat(gateway().complete(request("c", "p", "r")).join().resident()).isFalse();
  }

  @Test
  void aFailureIsTakenToAnotherReplica() {
    a.chat(r -> Reply.status(500, ""));
    assertThat(gateway().complete(request("c")).join().replica()).isEqualTo("b");
    assertThat(a.chats()).hasSize(1);
  }

  @Test
  void anUnreachableReplicaIsFailedOver() {
    replicas.set(0, new Replica("a", URI.create("http://127.0.0.1:" + freePort()), "node-a"));
    assertThat(gateway().complete(request("c")).join().replica()).isEqualTo("b");
  }

  @Test
  void aPassingFailureOfTheOnlyReplicaIsRetried() {
    replicas.removeLast();
    AtomicInteger calls = new AtomicInteger();
    a.chat(r -> calls.incrementAndGet() < 3 ? Reply.status(503, "") : Reply.answer("at last"));
    assertThat(gateway().complete(request("c")).join().text()).isEqualTo("at last");
    assertThat(a.chats()).hasSize(3);
    assertThat(a.chats().stream().map(r -> r.headers().get("idempotency-key")).distinct())
        .containsExactly("c");
  }

  /** vLLM says with the end of a stream, and only there, how much of the prompt was cached. */
  @Test
  void aCallThatIsBrokenOffHadAsMuchCachedAsWasExpected() {
    replicas.removeLast();
    HttpInferenceGateway gateway = gateway();
    InferenceRequest call = request("c").prompt(Prompt.of("word ".repeat(4000), List.of(), "Q"));
    a.chat(r -> Reply.answer("first", 90));
    gateway.complete(call).join();
    AtomicInteger calls = new AtomicInteger();
    a.chat(r ->
        calls.incrementAndGet() == 1
            ? Reply.eventsThenClose(
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"the\"}}],"
                    + "\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":1}}")
            : Reply.answer("again", 90));
    Usage usage = gateway.complete(call).join().usage();
    assertThat(usage.promptTokens()).isEqualTo(200);
    assertThat(usage.cachedTokens()).isBetween(90L + 60, 90L + 100);
  }

  @Test
  void attemptsAreBounded() {
    a.chat(r -> Reply.status(500, "broken"));
    b.chat(r -> Reply.status(500, "broken"));
    InferenceException failure = failure(gateway().complete(request("c")));
    assertThat(failure.kind()).isEqualTo(Kind.SERVER_ERROR);
    assertThat(a.chats().size() + b.chats().size()).isEqualTo(4);
  }

  @Test
  void whatTheServerRefusesIsNotRetried() {
    a.chat(r -> Reply.status(400, "{\"error\":{\"message\":\"no\"}}"));
    InferenceException failure = failure(gateway().complete(request("c")));
    assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
    assertThat(a.chats().size() + b.chats().size()).isEqualTo(1);
  }

  /** Fewer would be used up before a rate limit of a second has passed. */
  @Test
  void aServerThatIsOverloadedIsAskedOftenerThanOneThatFails() {
    replicas.removeLast();
    AtomicInteger calls = new AtomicInteger();
    a.chat(r -> calls.incrementAndGet() < 10 ? Reply.status(429, "") : Reply.answer("at last"));
    assertThat(gateway().complete(request("c")).join().text()).isEqualTo("at last");
    assertThat(clock.slept).hasSize(9);
    assertThat(a.chats()).hasSize(10);
  }

  /** The n-th wait is a random part of base * 2^n, at most max: here the whole of it. */
  @Test
  void waitsForAnOverloadedServerGrowUpToTheirBound() {
    replicas.removeLast();
    a.chat(r -> Reply.status(429, ""));
    InferenceException failure =
        failure(
            gateway(Duration.ofSeconds(1), Duration.ofSeconds(10), "gateway.overload-retries = 6")
                .complete(within(request("c"), Duration.ofMinutes(4))));
    assertThat(failure).hasMessageContaining("429");
    assertThat(clock.slept)
        .extracting(HttpInferenceGatewayTest::seconds)
        .containsExactly(1L, 2L, 4L, 8L, 10L, 10L);
  }

  @Test
  void aWaitThatWouldPassTheDeadlineIsNotBegun() {
    replicas.removeLast();
    a.chat(r -> Reply.status(429, ""));
    failure(
        gateway(Duration.ofSeconds(1), Duration.ofSeconds(10))
            .complete(within(request("c"), Duration.ofSeconds(12))));
    assertThat(clock.slept)
        .extracting(HttpInferenceGatewayTest::seconds)
        .containsExactly(1L, 2L, 4L);
  }

  /** Seconds, and a date, which is counted from the answer's own. */
  @Test
  void retryAfterIsHonouredUpToTheDeadline() {
    replicas.removeLast();
    List<Reply> script =
        new CopyOnWriteArrayList<>(
            List.of(
                Reply.status(429, Map.of("Retry-After", "3"), ""),
                Reply.status(503, Map.of("Retry-After", "5"), ""),
                Reply.status(
                    503,
                    Map.of(
                        "Date", "Wed, 21 Oct 2015 07:28:00 GMT",
                        "Retry-After", "Wed, 21 Oct 2015 07:28:40 GMT"),
                    ""),
                Reply.status(
                    429,
                    Map.of(
                        "Date", "Wed, 21 Oct 2015 07:28:40 GMT",
                        "Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"),
                    ""),
                Reply.answer("at last")));
    a.chat(r -> script.removeFirst());
    InferenceReply reply =
        gateway("gateway.max-attempts = 1")
            .complete(within(request("c"), Duration.ofMinutes(1)))
            .join();
    assertThat(reply.text()).isEqualTo("at last");
    assertThat(clock.slept)
        .extracting(HttpInferenceGatewayTest::seconds)
        .containsExactly(3L, 5L, 40L, 0L);
  }

  /** Where all are overloaded, the one that is to be asked first is. */
  @Test
  void ofOverloadedServersTheOneThatIsReadyFirstIsAsked() {
    AtomicInteger calls = new AtomicInteger();
    a.chat(r -> Reply.status(429, Map.of("Retry-After", "9"), ""));
    b.chat(r ->
        calls.incrementAndGet() < 3
            ? Reply.status(429, Map.of("Retry-After", "2"), "")
            : Reply.answer("from b"));
    assertThat(gateway().complete(request("c")).join().replica()).isEqualTo("b");
    assertThat(clock.slept).extracting(HttpInferenceGatewayTest::seconds).containsExactly(2L, 2L);
    assertThat(a.chats()).hasSize(1);
  }

  @Test
  void aServerThatAsksToBeLeftAloneBeyondTheDeadlineIsNotAskedAgain() {
    replicas.removeLast();
    a.chat(r -> Reply.status(429, Map.of("Retry-After", "3600"), ""));
    InferenceException failure = failure(gateway().complete(request("c")));
    assertThat(failure).hasMessageContaining("429");
    assertThat(a.chats()).hasSize(1);
  }

  @Test
  void aHangingServerCostsTheDeadlineAndNoMore() {
    clock.runs = true;
    a.chat(r -> Reply.hang());
    b.chat(r -> Reply.hang());
    InferenceException failure =
        failure(gateway().complete(within(request("c"), Duration.ofMillis(400))));
    assertThat(failure.kind()).isEqualTo(Kind.TIMEOUT);
    await().until(() -> a.abandoned() == 1);
  }

  @Test
  void aHangingAttemptEndsAtItsTimeoutAndAnotherReplicaAnswers() {
    a.chat(r -> Reply.hang());
    InferenceReply reply =
        gateway("gateway.attempt-timeout = 300 ms").complete(request("c")).join();
    assertThat(reply.replica()).isEqualTo("b");
  }

  @Test
  void cancellingReachesTheServer() {
    a.chat(r -> Reply.hang());
    CompletableFuture<InferenceReply> call =
        gateway().complete(within(request("c"), LONG)).toCompletableFuture();
    await().until(() -> a.chats().size() == 1);
    call.cancel(true);
    await().until(() -> a.abandoned() == 1);
    assertThat(b.chats()).isEmpty();
  }

  @Test
  void closingAbortsWhatIsUnderWay() {
    a.chat(r -> Reply.hang());
    HttpInferenceGateway gateway = gateway();
    CompletableFuture<InferenceReply> call = gateway.complete(within(request("c"), LONG));
    await().until(() -> a.chats().size() == 1);
    gateway.close();
    assertThat(failure(call)).hasMessageContaining("aborted");
    await().until(() -> a.abandoned() == 1);
  }

  @Test
  void aCallbackIsNotInterrupted() {
    boolean interrupted =
        gateway()
            .complete(request("c"))
            .thenApply(reply -> Thread.currentThread().isInterrupted())
            .join();
    assertThat(interrupted).isFalse();
  }

  @Test
  void aClosedGatewayFailsItsCalls() {
    HttpInferenceGateway gateway = gateway();
    gateway.close();
    assertThat(failure(gateway.complete(request("c")))).hasMessageContaining("closed");
  }

  @Test
  void callsAtOneReplicaAreBoundedAndTheRestWaitTheirTurn() {
    replicas.removeLast();
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    a.chat(r -> {
      most.accumulateAndGet(now.incrementAndGet(), Math::max);
      Thread.yield();
      now.decrementAndGet();
      return Reply.answer("x");
    });
    HttpInferenceGateway gateway = gateway("gateway.max-concurrent-per-replica = 2");
    List<CompletableFuture<InferenceReply>> calls =
        IntStream.range(0, 40)
            .mapToObj(i -> gateway.complete(within(request("c" + i), LONG)))
            .toList();
    assertThat(calls).allSatisfy(call -> assertThat(call.join().text()).isEqualTo("x"));
    assertThat(most.get()).isBetween(1, 2);
  }

  @Test
  void aFullReplicaIsPassedOver() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    a.chat(r -> {
      awaitLatch(release);
      return Reply.answer("from a");
    });
    HttpInferenceGateway gateway = gateway("gateway.max-concurrent-per-replica = 1");
    CompletableFuture<InferenceReply> first = gateway.complete(within(request("c1"), LONG));
    await().until(() -> a.chats().size() == 1);
    assertThat(gateway.complete(request("c2")).join().replica()).isEqualTo("b");
    release.countDown();
    assertThat(first.join().replica()).isEqualTo("a");
  }

  @Test
  void withoutAReplicaACallFails() {
    replicas.clear();
    InferenceException failure = failure(gateway().complete(request("c")));
    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
    assertThat(failure).hasMessageContaining("no replica is known");
  }

  @Test
  void theSetOfReplicasMayChangeBetweenCalls() {
    HttpInferenceGateway gateway = gateway();
    assertThat(gateway.complete(request("c1")).join().replica()).isEqualTo("a");
    replicas.removeFirst();
    assertThat(gateway.complete(request("c2")).join().replica()).isEqualTo("b");
  }

  @Test
  void observersHearOfAnsweredCalls() {
    List<String> heard = new CopyOnWriteArrayList<>();
    observer = (replica, request, usage, cached) -> heard.add(replica.id() + request.callId());
    a.chat(r -> Reply.status(500, ""));
    gateway().complete(request("-call")).join();
    assertThat(heard).containsExactly("b-call");
  }

  private HttpInferenceGateway gateway(String... lines) {
    return gateway(Duration.ofMillis(1), Duration.ofMillis(5), lines);
  }

  /**
   * @param base of the waits after failures, which grow up to {@code max}
   */
  private HttpInferenceGateway gateway(Duration base, Duration max, String... lines) {
    Config config = config(lines);
    ResidencyView view = page -> holders.getOrDefault(page, Set.of());
    HttpInferenceGateway gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config)
                .within(GatewaySettings.Bounds.USUAL.waiting(base, max)),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "node-a",
            ReplicaSet.of(() -> replicas),
            view,
            observer,
            BacklogExchange.NONE,
            Optional.empty(),
            clock);
    opened.addFirst(gateway);
    return gateway;
  }

  /** Of a wait that began a moment after it was reckoned. */
  private static long seconds(Duration wait) {
    return Math.round(wait.toMillis() / 1000.0);
  }

  private static InferenceException failure(CompletableFuture<InferenceReply> call) {
    CompletionException failure = catchThrowableOfType(CompletionException.class, call::join);
    return (InferenceException) failure.getCause();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
