package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.GatewaySettings.Bounds;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.vcm.schedule.CacheControl;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.Orders.Eviction;
import dev.colony.vcm.schedule.Orders.Touch;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An embedded replica whose cache holds two of three pages keeps the one that it is told to. */
class CacheControlTest {

  private static final String ID = "r";

  private final EmbeddedReplica replica = GatewayRig.replica();
  private final GatewayRig rig = new GatewayRig();
  private final Map<String, Long> cached = new ConcurrentHashMap<>();
  private final Set<String> locked = ConcurrentHashMap.newKeySet();
  private final AtomicLong touches = new AtomicLong();
  private final AtomicLong touchedTokens = new AtomicLong();
  private final AtomicLong computedTokens = new AtomicLong();
  private final AtomicLong hints = new AtomicLong();
  private final List<String> gaveUp = new CopyOnWriteArrayList<>();
  private static final Bounds FAST =
      new Bounds(
          Bounds.USUAL.backoff(), Bounds.USUAL.overloaded(), 1000, 256, Duration.ofMillis(100));

  private HttpInferenceGateway gateway;

  @AfterEach
  void stop() throws Exception {
    rig.close();
    replica.close();
  }

  @Test
  void ofThreePagesTheOneThatWasUsedLongestAgoGoes() {
    start("touches");
    ask("a", "b", "c");
    assertThat(resident()).containsExactly("b", "c");
    assertThat(ask("a")).isLessThan(100);
  }

  @Test
  void aTouchKeepsAPageThatWouldHaveBeenEvicted() {
    CacheControl control = start("touches");
    ask("a", "b");
    control.carryOut(List.of(), List.of(new Touch(ID, chain("a"))));
    await().until(() -> touches.get() == 1);
    ask("c");
    assertThat(resident()).containsExactly("a", "c");
    assertThat(ask("a")).isGreaterThan(200);
    // What was touched was there, but for the end of the prompt that is no full block.
    assertThat(touchedTokens.get()).isGreaterThan(200);
    assertThat(computedTokens.get()).isBetween(1L, 16L);
  }

  @Test
  void theBeginningOfAPageIsTouchedAlone() {
    CacheControl control = start("touches");
    ask("a", "b");
    long[] half = Arrays.copyOf(chain("a"), chain("a").length / 2);
    control.carryOut(List.of(), List.of(new Touch(ID, half)));
    await().until(() -> touches.get() == 1);
    ask("c");
    assertThat(resident()).doesNotContain("a");
    assertThat(ask("a")).isBetween(80L, 200L);
  }

  @Test
  void aHintHasAPageEvictedBeforeOlderOnes() {
    CacheControl control = start("hints");
    ask("a", "b");
    long[] all = chain("b");
    // The preamble is the other page's, too.
    control.carryOut(List.of(new Eviction(ID, Arrays.copyOfRange(all, 1, all.length))), List.of());
    await().until(() -> hints.get() == 1);
    assertThat(resident()).as("a hint evicts nothing yet").containsExactly("a", "b");
    ask("c");
    assertThat(resident()).containsExactly("a", "c");
    assertThat(ask("a")).isGreaterThan(200);
  }

  @Test
  void aLockedPageStaysWhileOthersGoThatWereUsedLater() {
    CacheControl control = start("hints");
    ask("a", "b");
    locked.add("a");
    gateway.spareLocked();
    await().until(() -> hints.get() == 1);
    assertThat(gaveUp).containsExactly("b");
    ask("c");
    await().until(() -> hints.get() == 2);
    assertThat(resident()).containsExactly("a", "c");
    ask("d");
    await().until(() -> hints.get() == 3);
    assertThat(resident()).containsExactly("a", "d");
    control.carryOut(List.of(new Eviction(ID, chain("a"))), List.of());
    ask("b");
    assertThat(resident()).as("nor does a scheduler's order take it").containsExactly("a", "b");
    locked.clear();
    ask("c", "d");
    assertThat(resident()).containsExactly("c", "d");
  }

  @Test
  void aLockedPageIsKeptByTouchesUntilItsLockEnds() {
    start("touches");
    ask("a", "b");
    locked.add("a");
    awaitTouch();
    ask("c");
    assertThat(resident()).containsExactly("a", "c");
    awaitTouch();
    ask("d");
    assertThat(resident()).containsExactly("a", "d");
    assertThat(touchedTokens.get()).isGreaterThan(400);
    locked.clear();
    ask("b", "c");
    assertThat(resident()).containsExactly("b", "c");
  }

  /** One that has begun after this was called. */
  private void awaitTouch() {
    long done = touches.get();
    await().until(() -> touches.get() >= done + 2);
  }

  @Test
  void byItselfTheGatewayGivesItHints() {
    CacheControl control = start("auto");
    assertThat(control.control(ID)).as("it was asked nothing yet").isEqualTo(EvictionControl.NONE);
    ask("a");
    assertThat(control.control(ID)).isEqualTo(EvictionControl.HINTS);
  }

  private CacheControl start(String control) {
    Config config = config("replicas.eviction.control = " + control);
    Replica one = new Replica(ID, replica.uri(), "n");
    ReplicaMonitor monitor =
        rig.open(
            ReplicaMonitor.start(
                "",
                ReplicaSettings.fromConfig(config),
                ReplicaMonitor.Bounds.USUAL.every(Duration.ofHours(1)),
                Optional.empty(),
                () -> List.of(one)));
    gateway =
        rig.gateway(
            FAST,
            "n",
            config,
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

              @Override
              public Set<String> victims(String one) {
                return locked.isEmpty()
                    ? Set.of()
                    : Stream.of("a", "b", "c", "d")
                        .filter(page -> !locked.contains(page))
                        .collect(Collectors.toSet());
              }
            },
            new CallObserver() {
              @Override
              public void cacheTold(
                  EvictionControl how, CacheOutcome outcome, long promptTokens, long computed) {
                if (outcome == CacheOutcome.DONE) {
                  (how == EvictionControl.HINTS ? hints : touches).incrementAndGet();
                  touchedTokens.addAndGet(promptTokens);
                  computedTokens.addAndGet(computed);
                }
              }

              @Override
              public void gaveUp(Replica from, Set<String> pages) {
                gaveUp.addAll(pages);
              }

              @Override
              public void answered(
                  Replica by, InferenceRequest request, Usage usage, OptionalLong tokens) {
                cached.put(request.callId(), tokens.orElseThrow());
              }
            });
    CacheControl caches = gateway.cacheControl();
    caches.carryOut(List.of(), List.of());
    return caches;
  }

  /** Asks over each page; how many tokens of the last prompt were cached. */
  private long ask(String... pages) {
    long tokens = 0;
    for (String page : pages) {
      InferenceReply reply = gateway.complete(call(page)).join();
      tokens = cached.get(reply.callId());
    }
    return tokens;
  }

  private long[] chain(String page) {
    return gateway.router().blocks(call(page)).chain();
  }

  private InferenceRequest call(String page) {
    return rig.call(page);
  }

  private Set<String> resident() {
    return new TreeSet<>(replica.residentPages().keySet());
  }
}
