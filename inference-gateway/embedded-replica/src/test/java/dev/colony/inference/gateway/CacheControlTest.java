package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import dev.colony.inference.catalog.ModelCatalog;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.routing.BacklogExchange;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.ResidencyView;
import dev.colony.inference.routing.RoutingSettings;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.Replicas;
import dev.colony.vcm.schedule.workingset.CacheControl;
import dev.colony.vcm.schedule.workingset.EvictionControl;
import dev.colony.vcm.schedule.workingset.Orders.Eviction;
import dev.colony.vcm.schedule.workingset.Orders.Touch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An embedded replica whose cache holds two of three pages keeps the one that it is told to. */
class CacheControlTest {

  private static final String ID = "r";

  private final EmbeddedReplica replica =
      Replicas.start(ID, "capacity-blocks = 48", "context-tokens = 700", "coalesce = 0");
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<String, Long> cached = new ConcurrentHashMap<>();
  private final Set<String> locked = ConcurrentHashMap.newKeySet();
  private final List<String> gaveUp = new CopyOnWriteArrayList<>();
  private ReplicaMonitor monitor;
  private HttpInferenceGateway gateway;
  private int calls;

  @AfterEach
  void stop() {
    gateway.close();
    monitor.close();
    replica.close();
    http.close();
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
    await().until(() -> gateway.cacheOrders().get(ID).touches() == 1);
    ask("c");
    assertThat(resident()).containsExactly("a", "c");
    assertThat(ask("a")).isGreaterThan(200);
    CacheOrders told = gateway.cacheOrders().get(ID);
    // What was touched was there, but for the end of the prompt that is no full block.
    assertThat(told.touchedTokens()).isGreaterThan(200);
    assertThat(told.computedTokens()).isBetween(1L, 16L);
  }

  @Test
  void theBeginningOfAPageIsTouchedAlone() {
    CacheControl control = start("touches");
    ask("a", "b");
    long[] half = Arrays.copyOf(chain("a"), chain("a").length / 2);
    control.carryOut(List.of(), List.of(new Touch(ID, half)));
    await().until(() -> gateway.cacheOrders().get(ID).touches() == 1);
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
    await().until(() -> gateway.cacheOrders().get(ID).hints() == 1);
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
    await().until(() -> gateway.cacheOrders().get(ID).hints() == 1);
    assertThat(gaveUp).containsExactly("b");
    ask("c");
    await().until(() -> gateway.cacheOrders().get(ID).hints() == 2);
    assertThat(resident()).containsExactly("a", "c");
    ask("d");
    await().until(() -> gateway.cacheOrders().get(ID).hints() == 3);
    assertThat(resident()).containsExactly("a", "d");
    control.carryOut(List.of(new Eviction(ID, chain("a"))), List.of());
    ask("b");
    assertThat(resident()).as("nor does a scheduler's order take it").containsExactly("a", "b");
    locked.clear();
    ask("c", "d");
    assertThat(resident()).containsExactly("c", "d");
  }

  @Test
  void byItselfTheGatewayGivesItHints() {
    CacheControl control = start("auto");
    assertThat(control.control(ID)).as("it was asked nothing yet").isEqualTo(EvictionControl.NONE);
    ask("a");
    assertThat(control.control(ID)).isEqualTo(EvictionControl.HINTS);
  }

  private CacheControl start(String control) {
    Config config =
        config(
            "replicas { metrics-interval = 1 h, check-interval = 1 h }",
            "routing.block-characters = 64",
            "replicas.eviction { touches-per-second = 1000, control = " + control + " }");
    Replica one = new Replica(ID, replica.uri(), "n");
    monitor =
        ReplicaMonitor.start(
            ReplicaSettings.fromConfig(config), Optional.empty(), () -> List.of(one));
    gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config),
            ModelCatalog.fromConfig(config),
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
              public void gaveUp(Replica from, Set<String> pages) {
                gaveUp.addAll(pages);
              }

              @Override
              public void answered(
                  Replica by, InferenceRequest request, Usage usage, OptionalLong tokens) {
                cached.put(request.callId(), tokens.orElseThrow());
              }
            },
            BacklogExchange.NONE);
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
    String text = ("int " + page + " = 0; ").repeat(50);
    return InferenceRequest.of(
        "call-" + calls++,
        Prompt.of("Answer.", List.of(new PromptPage(page, text, 300)), "Question: what?"),
        ReplyForm.text(20),
        CallContext.within(Duration.ofSeconds(20)));
  }

  /** The pages in the cache, as the replica says. */
  private Set<String> resident() {
    HttpRequest request =
        HttpRequest.newBuilder(replica.uri().resolve("/colony/residency")).build();
    Set<String> pages = new TreeSet<>();
    try {
      json(http.send(request, BodyHandlers.ofString()).body())
          .get("pages")
          .forEach(page -> pages.add(page.get("id").asText()));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
    return pages;
  }
}
