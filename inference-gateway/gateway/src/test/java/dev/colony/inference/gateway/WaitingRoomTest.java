package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.hurried;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Calls that wait for a slot, at a gateway that asks a server over HTTP. */
class WaitingRoomTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  /** Replies that the server may give. */
  private final Semaphore replies = new Semaphore(0);

  private final RecordingModelServer server =
      RecordingModelServer.start(call -> {
        replies.acquireUninterruptibly();
        return Reply.answer("fine");
      });
  private final List<Replica> replicas =
      new CopyOnWriteArrayList<>(List.of(new Replica("r", server.uri(), "node")));
  private HttpInferenceGateway gateway;

  @AfterEach
  void stop() {
    replies.release(1_000_000);
    gateway.close();
    server.close();
  }

  private void gateway(String... lines) {
    Config config = config(lines);
    gateway =
        new HttpInferenceGateway(
            hurried(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "node",
            ReplicaSet.of(() -> replicas),
            ResidencyView.NONE,
            CallObserver.NONE,
            BacklogExchange.NONE);
  }

  private CompletableFuture<InferenceReply> call(String tenant, int number, int priority) {
    return gateway.complete(
        request(tenant + "-" + number).context(CallContext.of(tenant, LONG).priority(priority)));
  }

  private CompletableFuture<InferenceReply> call(String tenant, int number) {
    return call(tenant, number, CallContext.USUAL);
  }

  /** The slots are taken. */
  private void running(int calls) {
    await().until(() -> server.chats().size() == calls);
  }

  private void waiting(int calls) {
    await().until(() -> gateway.waiting() == calls);
  }

  private List<String> tenantsServed() {
    return server.chats().stream()
        .map(WaitingRoomTest::id)
        .map(id -> id.substring(0, id.indexOf('-')))
        .toList();
  }

  private static String id(Recorded call) {
    return call.headers().get("idempotency-key");
  }

  private static InferenceException failure(CompletableFuture<InferenceReply> call) {
    CompletionException failure = catchThrowableOfType(CompletionException.class, call::join);
    return (InferenceException) failure.getCause();
  }

  /** The small tenant waits for what runs and for one of the other's, however many those are. */
  @Test
  void aTenantWithAHundredTimesTheLoadGoesInTurnsWithTheOther() {
    int slots = 2;
    gateway("gateway.max-concurrent-per-replica = " + slots);
    List<CompletableFuture<InferenceReply>> calls = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      calls.add(call("big", i));
    }
    running(slots);
    waiting(400 - slots);
    for (int i = 0; i < 4; i++) {
      calls.add(call("small", i));
    }
    waiting(404 - slots);
    replies.release(404);
    calls.forEach(CompletableFuture::join);
    List<String> served = tenantsServed();
    assertThat(served).hasSize(404);
    List<Integer> small = new ArrayList<>();
    for (int i = 0; i < served.size(); i++) {
      if (served.get(i).equals("small")) {
        small.add(i);
      }
    }
    // Calls that begin together may reach the server in any order: slots - 1 places.
    int before = slots;
    for (int at : small) {
      assertThat(at - before)
          .as("the big tenant's calls before, in %s", served)
          .isLessThanOrEqualTo(1 + (slots - 1));
      before = at + 1;
    }
  }

  @Test
  void aCallBeyondTheBoundIsRejectedWithAnEstimateOfWhenThereIsRoom() {
    gateway("gateway.max-concurrent-per-replica = 1", "admission.usual.max-waiting = 1");
    call("acme", 0);
    running(1);
    call("acme", 1);
    waiting(1);
    InferenceException failure = failure(call("acme", 2));
    assertThat(failure.kind()).isEqualTo(Kind.REJECTED);
    assertThat(failure)
        .hasMessage(
            "the call was rejected: as many calls of tenant acme wait for a replica as may, 1");
    assertThat(failure.retryAfter()).hasValue(Duration.ofSeconds(1));
    assertThat(failure.retryable()).isTrue();
  }

  @Test
  void whereTheRoomIsFullATenantWithFewerCallsTakesAPlaceOfTheOthers() {
    gateway("gateway.max-concurrent-per-replica = 1", "admission.max-waiting = 3");
    call("acme", 0);
    running(1);
    CompletableFuture<InferenceReply> first = call("acme", 1);
    CompletableFuture<InferenceReply> second = call("acme", 2);
    waiting(2);
    CompletableFuture<InferenceReply> last = call("acme", 3);
    waiting(3);
    CompletableFuture<InferenceReply> other = call("blue", 0);
    InferenceException evicted = failure(last);
    assertThat(evicted.kind()).isEqualTo(Kind.EVICTED);
    assertThat(evicted).hasMessageContaining("fewer waiting calls took its place");
    assertThat(evicted.retryAfter()).isPresent();
    assertThat(failure(call("acme", 4)))
        .hasMessage("the call was rejected: as many calls wait for a replica as may, 3");
    replies.release(4);
    assertThat(List.of(first.join(), second.join(), other.join())).hasSize(3);
  }

  @Test
  void anUrgentCallTakesThePlaceOfItsTenantsLast() {
    gateway("gateway.max-concurrent-per-replica = 1", "admission.usual.max-waiting = 1");
    call("acme", 0);
    running(1);
    CompletableFuture<InferenceReply> usual = call("acme", 1);
    waiting(1);
    CompletableFuture<InferenceReply> urgent = call("acme", 2, CallContext.MOST);
    InferenceException evicted = failure(usual);
    assertThat(evicted.kind()).isEqualTo(Kind.EVICTED);
    assertThat(evicted).hasMessageContaining("one of its tenant that goes before it");
    replies.release(2);
    assertThat(urgent.join().text()).isEqualTo("fine");
    assertThat(server.chats().stream().map(WaitingRoomTest::id)).doesNotContain("acme-1");
  }

  @Test
  void aCancelledCallLeavesAtOnceAndReachesNoServer() {
    gateway("gateway.max-concurrent-per-replica = 1");
    CompletableFuture<InferenceReply> first = call("acme", 0);
    running(1);
    CompletableFuture<InferenceReply> cancelled = call("acme", 1);
    CompletableFuture<InferenceReply> last = call("acme", 2);
    waiting(2);
    cancelled.cancel(true);
    waiting(1);
    replies.release(2);
    first.join();
    last.join();
    assertThat(server.chats().stream().map(WaitingRoomTest::id))
        .containsExactly("acme-0", "acme-2");
  }

  @Test
  void aCancelledCallGivesItsSlotBack() {
    gateway("gateway.max-concurrent-per-replica = 1");
    CompletableFuture<InferenceReply> first = call("acme", 0);
    running(1);
    CompletableFuture<InferenceReply> next = call("acme", 1);
    waiting(1);
    first.cancel(true);
    running(2);
    replies.release(2);
    assertThat(next.join().text()).isEqualTo("fine");
  }

  /** What backs off has its slot given to another, and is one of those that wait. */
  @Test
  void aCallThatBacksOffHoldsNoSlotAndKeepsItsPlace() {
    AtomicInteger refused = new AtomicInteger();
    server.chat(call -> {
      replies.acquireUninterruptibly();
      return id(call).equals("acme-0") && refused.getAndIncrement() == 0
          ? Reply.status(429, Map.of("Retry-After", "1"), "")
          : Reply.answer("fine");
    });
    gateway("gateway.max-concurrent-per-replica = 1", "admission.usual.max-waiting = 2");
    CompletableFuture<InferenceReply> first = call("acme", 0);
    running(1);
    CompletableFuture<InferenceReply> second = call("acme", 1);
    waiting(1);
    CompletableFuture<InferenceReply> third = call("acme", 2);
    waiting(2);
    replies.release();
    running(2);
    waiting(2);
    assertThat(failure(call("acme", 3)).kind()).isEqualTo(Kind.REJECTED);
    // The server holds the second until the first's wait is over.
    await().until(() -> gateway.delayed() == 0);
    replies.release(3);
    List.of(first, second, third).forEach(CompletableFuture::join);
    assertThat(server.chats().stream().map(WaitingRoomTest::id))
        .containsExactly("acme-0", "acme-1", "acme-0", "acme-2");
  }

  @Test
  void callsThatWaitAreToldWhenTheLastReplicaHasGone() {
    gateway("gateway.max-concurrent-per-replica = 1", "gateway.max-attempts = 1");
    call("acme", 0);
    running(1);
    CompletableFuture<InferenceReply> waits = call("acme", 1);
    waiting(1);
    replicas.clear();
    InferenceException failure = failure(waits);
    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
    assertThat(failure).hasMessage("no replica is known");
  }

  @Test
  void aReplicaThatComesIsGivenWhatWaits() {
    try (RecordingModelServer other = RecordingModelServer.start(call -> Reply.answer("other"))) {
      gateway("gateway.max-concurrent-per-replica = 1");
      call("acme", 0);
      running(1);
      CompletableFuture<InferenceReply> waits = call("acme", 1);
      waiting(1);
      replicas.add(new Replica("other", other.uri(), "node"));
      assertThat(waits.join().replica()).isEqualTo("other");
    }
  }

  @Test
  void aCallThatHasNoSlotWithinItsDeadlineIsLate() {
    gateway("gateway.max-concurrent-per-replica = 1");
    call("acme", 0);
    running(1);
    InferenceException failure =
        failure(
            gateway.complete(
                request("late").context(CallContext.of("acme", Duration.ofMillis(100)))));
    assertThat(failure.kind()).isEqualTo(Kind.TIMEOUT);
    assertThat(failure).hasMessage("no replica had a free slot within PT0.1S");
    assertThat(gateway.waiting()).isZero();
  }

  /** Whatever comes, fails, is cancelled and backs off. */
  @RepeatedTest(5)
  void noMoreWaitThanMay() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    server.chat(call -> {
      most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
      Thread.yield();
      underWay.decrementAndGet();
      return Math.floorMod(id(call).hashCode(), 5) == 0
          ? Reply.status(503, "")
          : Reply.answer("fine");
    });
    gateway(
        "gateway.max-concurrent-per-replica = 2",
        "gateway.overload-retries = 2",
        "admission.max-waiting = 6",
        "admission.usual.max-waiting = 4");
    List<CompletableFuture<InferenceReply>> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      calls.add(call("tenant" + random.nextInt(3), i, random.nextInt(10)));
      if (random.nextInt(10) == 0) {
        calls.get(random.nextInt(calls.size())).cancel(true);
      }
      assertThat(gateway.waiting()).isLessThanOrEqualTo(6);
      if (random.nextInt(4) == 0) {
        Thread.yield();
      }
    }
    await().until(() -> calls.stream().allMatch(CompletableFuture::isDone));
    assertThat(most.get()).isBetween(1, 2);
    waiting(0);
    for (CompletableFuture<InferenceReply> call : calls) {
      if (!call.isCancelled() && call.isCompletedExceptionally()) {
        assertThat(failure(call).kind()).isIn(Kind.REJECTED, Kind.EVICTED, Kind.OVERLOADED);
      }
    }
  }
}
