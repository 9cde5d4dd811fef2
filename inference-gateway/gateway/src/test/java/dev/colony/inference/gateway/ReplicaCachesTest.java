package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallObserver.CacheOutcome;
import dev.colony.inference.gateway.GatewaySettings.Bounds;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts.RetryClock;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.CacheControl;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.Orders.Eviction;
import dev.colony.vcm.schedule.Orders.Touch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a gateway asks of a server's cache, by a server that records what it is asked. */
class ReplicaCachesTest {

  private final RecordingModelServer server =
      RecordingModelServer.start(r -> Reply.answer("yes", 90));
  private final List<AutoCloseable> opened = new ArrayList<>(List.of(server));
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Set<String> locked = ConcurrentHashMap.newKeySet();
  private final List<Duration> slept = new CopyOnWriteArrayList<>();

  /** Sleeping moves it on, at once. */
  private final RetryClock clock =
      new RetryClock() {
        @Override
        public long nanos() {
          return 1 + slept.stream().mapToLong(Duration::toNanos).sum();
        }

        @Override
        public double random() {
          return 1;
        }

        @Override
        public void sleep(Duration time, Future<?> over) {
          slept.add(time);
        }
      };

  private static final String TOUCHES = "replicas.eviction.control = touches";

  private HttpInferenceGateway gateway;

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  @Test
  void aTouchAsksForOneTokenOverTheSamePromptAndItsCostIsCounted() {
    CacheControl control = start(TOUCHES);
    InferenceRequest call = request("c", "p", "q");
    gateway.complete(call).join();
    control.carryOut(List.of(), List.of(new Touch("r", chain(call))));
    await().until(() -> told.size() == 1);
    assertThat(told).containsExactly("TOUCHES DONE 100 10");
    Recorded asked = server.chats().get(0);
    Recorded touch = server.chats().get(1);
    assertThat(touch.json().path("messages")).isEqualTo(asked.json().path("messages"));
    assertThat(touch.json().path("max_tokens").asInt()).isEqualTo(1);
    assertThat(touch.headers().get("x-colony-pages")).isEqualTo("p,q");
    assertThat(touch.headers().get("idempotency-key"))
        .isNotEqualTo(asked.headers().get("idempotency-key"));
  }

  @Test
  void aBeginningIsTouchedWithoutWhatStandsBehindIt() {
    CacheControl control = start(TOUCHES);
    InferenceRequest call = request("c", "p", "q");
    gateway.complete(call).join();
    int end = gateway.router().blocks(call).pageEnds()[0];
    control.carryOut(List.of(), List.of(new Touch("r", Arrays.copyOf(chain(call), end))));
    await().until(() -> told.size() == 1);
    Recorded touch = server.chats().get(1);
    assertThat(touch.messages("system")).containsExactly("You answer from pages.");
    assertThat(touch.messages("user").getFirst()).isEqualTo("text of p");
    assertThat(touch.messages("user")).doesNotContain("text of q");
    assertThat(touch.headers().get("x-colony-pages")).isEqualTo("p");
  }

  @Test
  void touchesOfAServerComeNoFasterThanItsRate() {
    CacheControl control = start(touching(4, 256), TOUCHES);
    InferenceRequest call = request("c", "p");
    gateway.complete(call).join();
    Touch touch = new Touch("r", chain(call));
    control.carryOut(List.of(), List.of(touch, touch, touch));
    await().until(() -> told.size() == 3);
    assertThat(slept).containsExactly(Duration.ofMillis(250), Duration.ofMillis(250));
  }

  @Test
  void aLockedPageThatGoesUnusedIsTouchedUntilItsLockEnds() {
    start(TOUCHES);
    InferenceRequest call = request("c", "p", "q");
    gateway.complete(call).join();
    gateway.caches().touchLocked();
    locked.add("p");
    gateway.caches().touchLocked();
    assertThat(told).as("the call has just used it").isEmpty();
    goUnused();
    await().until(() -> told.size() == 1);
    goUnused();
    await().until(() -> told.size() == 2);
    locked.clear();
    goUnused();
    locked.add("q");
    gateway.caches().touchLocked();
    await().until(() -> told.size() == 3);
    assertThat(told).containsOnly("TOUCHES DONE 100 10");
    List<Recorded> touches = server.chats().subList(1, server.chats().size());
    assertThat(touches)
        .extracting(touch -> touch.headers().get("x-colony-pages"))
        .as("none while nothing was locked")
        .containsExactly("p", "p", "p,q");
    assertThat(touches).allMatch(touch -> touch.json().path("max_tokens").asInt() == 1);
  }

  private void goUnused() {
    slept.add(Duration.ofSeconds(10));
    gateway.caches().touchLocked();
  }

  @Test
  void beyondTheQueueOrdersAreLeftOut() throws Exception {
    CacheControl control = start(touching(100, 2), TOUCHES);
    InferenceRequest call = request("c", "p");
    gateway.complete(call).join();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    server.chat(r -> {
      asked.countDown();
      try {
        answers.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
      return Reply.answer("yes", 100);
    });
    Touch touch = new Touch("r", chain(call));
    control.carryOut(List.of(), List.of(touch));
    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    control.carryOut(List.of(), List.of(touch, touch, touch));
    assertThat(told).containsExactly("TOUCHES QUEUE_FULL 0 0");
    assertThat(gateway.caches().waiting("r")).isEqualTo(2);
    answers.countDown();
    await().until(() -> told.size() == 4);
    assertThat(told).filteredOn(one -> one.startsWith("TOUCHES DONE")).hasSize(3);
  }

  @Test
  void whatWasNotSentFromHereOrIsNotHeldAnyMoreIsLeftOut() {
    CacheControl control = start(TOUCHES);
    control.carryOut(List.of(), List.of(new Touch("r", chain(request("c", "p")))));
    assertThat(told).containsExactly("TOUCHES UNKNOWN 0 0");
    InferenceRequest call = request("c", "p");
    gateway.complete(call).join();
    gateway.replicaListener().events("r", List.of(new KvEvent.Cleared()));
    control.carryOut(List.of(), List.of(new Touch("r", chain(call))));
    await().until(() -> told.size() == 2);
    assertThat(told.get(1)).isEqualTo("TOUCHES ABSENT 0 0");
    assertThat(server.chats()).hasSize(1);
  }

  @Test
  void aTouchThatTheServerRefusesIsCountedAndTheNextOneIsTried() {
    CacheControl control = start(TOUCHES);
    InferenceRequest call = request("c", "p");
    gateway.complete(call).join();
    server.chat(r -> Reply.status(500, "{}"));
    control.carryOut(List.of(), List.of(new Touch("r", chain(call))));
    await().until(() -> told.size() == 1);
    server.chat(r -> Reply.answer("yes", 100));
    control.carryOut(List.of(), List.of(new Touch("r", chain(call))));
    await().until(() -> told.size() == 2);
    assertThat(told).containsExactly("TOUCHES FAILED 0 0", "TOUCHES DONE 100 0");
  }

  @Test
  void aHintGoesOnlyWhereHintsAreTaken() {
    CacheControl control = start(TOUCHES);
    InferenceRequest call = request("c", "p");
    gateway.complete(call).join();
    control.carryOut(List.of(new Eviction("r", chain(call))), List.of());
    control.carryOut(List.of(), List.of(new Touch("r", chain(call))));
    await().until(() -> told.size() == 1);
    assertThat(told).containsExactly("TOUCHES DONE 100 10");
    assertThat(server.requests()).noneMatch(r -> r.path().contains("evict"));
  }

  @Test
  void autoTouchesServersThatAreAskedAsVllmAndNoOthers() {
    CacheControl control = start("client.dialect = vllm");
    assertThat(control.control("r")).isEqualTo(EvictionControl.TOUCHES);
    assertThat(control.control("other")).isEqualTo(EvictionControl.NONE);
    assertThat(start("client.dialect = ollama").control("r")).isEqualTo(EvictionControl.NONE);
    assertThat(start("client.dialect = openai", TOUCHES).control("r"))
        .as("a hosted service")
        .isEqualTo(EvictionControl.NONE);
  }

  private long[] chain(InferenceRequest request) {
    return gateway.router().blocks(request).chain();
  }

  private static Bounds touching(double perSecond, int waitingOrders) {
    Bounds usual = Bounds.USUAL;
    return new Bounds(
        usual.backoff(), usual.overloaded(), perSecond, waitingOrders, usual.lockTouchInterval());
  }

  private CacheControl start(String... lines) {
    return start(Bounds.USUAL, lines);
  }

  private CacheControl start(Bounds bounds, String... lines) {
    Config config = config(lines);
    Replica replica = new Replica("r", server.uri(), "n");
    ReplicaMonitor monitor =
        ReplicaMonitor.start(
            "",
            ReplicaSettings.fromConfig(config),
            ReplicaMonitor.Bounds.USUAL.every(Duration.ofHours(1)),
            Optional.empty(),
            () -> List.of(replica));
    opened.add(monitor);
    ModelCatalog catalog = ModelCatalog.fromConfig(config);
    monitor.judgeByCalls(catalog.client()::hosted);
    gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config).within(bounds),
            catalog,
            RoutingSettings.fromConfig(config),
            "n",
            monitor,
            new ResidencyView() {
              @Override
              public Set<String> replicasOf(String pageId) {
                return Set.of();
              }

              @Override
              public boolean locked(String pageId) {
                return locked.contains(pageId);
              }
            },
            new CallObserver() {
              @Override
              public void answered(
                  Replica by, InferenceRequest request, Usage usage, OptionalLong cached) {}

              @Override
              public void cacheTold(
                  EvictionControl how, CacheOutcome outcome, long promptTokens, long computed) {
                told.add(how + " " + outcome + " " + promptTokens + " " + computed);
              }
            },
            BacklogExchange.NONE,
            Optional.empty(),
            clock);
    opened.add(gateway);
    CacheControl control = gateway.cacheControl();
    control.control("r");
    return control;
  }
}
