package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallRouter.Route;
import dev.colony.inference.gateway.CallRouter.Sent;
import dev.colony.inference.gateway.HttpInferenceGateway.ReplicaStatus;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSet.Outcome;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState.Backlog;
import dev.colony.vcm.schedule.CostRouter.Decision;
import dev.colony.vcm.schedule.CostRouter.Decision.Refusal;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Where calls go, by what has become of those before them. */
class CallRouterTest {

  private static final long SECOND = 1_000_000_000L;
  private static final Replica A = replica("a", "node-1");
  private static final Replica B = replica("b", "node-2");
  private static final Replica C = replica("c", "node-3");
  private static final String LONG = "a page of some length. ".repeat(400);

  private final Map<String, Set<String>> pages = new HashMap<>();
  private final Set<String> down = new HashSet<>();
  private final List<String> outcomes = new ArrayList<>();
  private List<Replica> listed = List.of(A, B, C);
  private final ResidencyView view = page -> pages.getOrDefault(page, Set.of());
  private long now;
  private final CallRouter router = router("node-1");

  private static Replica replica(String id, String node) {
    return new Replica(id, URI.create("http://" + id), node);
  }

  private CallRouter router(String node) {
    return new CallRouter(
        RoutingSettings.fromConfig(config()),
        view,
        node,
        new ReplicaSet() {
          @Override
          public Collection<Replica> replicas() {
            return listed;
          }

          @Override
          public Access access(String replica, boolean full, double reach) {
            return new Access(!down.contains(replica), full, 1, reach);
          }

          @Override
          public void sent(String replica) {
            outcomes.add("sent " + replica);
          }

          @Override
          public void ended(String replica, Outcome outcome) {
            outcomes.add(outcome + " " + replica);
          }
        },
        () -> now);
  }

  /** A call over pages of 2,000 tokens each. */
  private static InferenceRequest call(String... pageIds) {
    List<PromptPage> texts = new ArrayList<>();
    for (String id : pageIds) {
      texts.add(new PromptPage(id, id + LONG, 2000));
    }
    return InferenceRequest.of(
        "c",
        Prompt.of("You answer from pages.", texts, "What?"),
        ReplyForm.text(50),
        CallContext.within(Duration.ofSeconds(10)));
  }

  /** To one of these; the others are there too. */
  private Route route(InferenceRequest call, Collection<Replica> replicas) {
    Set<String> excluded = new HashSet<>();
    listed.stream().filter(one -> !replicas.contains(one)).forEach(one -> excluded.add(one.id()));
    return router.send(
        call,
        router.blocks(call),
        ModelCatalog.UNNAMED,
        excluded,
        replica -> false,
        replica -> true);
  }

  private Sent send(InferenceRequest call, Replica... replicas) {
    return ((Route.To) route(call, List.of(replicas))).sent();
  }

  private void answer(Sent sent, long promptTokens, long cached) {
    sent.started();
    now += SECOND / 10;
    sent.part();
    now += SECOND;
    sent.answered(new Usage(promptTokens, cached, 10), OptionalLong.of(cached));
  }

  @Test
  void callsGoWhereTheirBeginningIsCached() {
    answer(send(call("p1"), A, B), 2010, 0);
    answer(send(call("p2"), B), 2010, 0);
    assertThat(send(call("p2", "x"), A, B).replica()).isEqualTo(B);
    now += 100 * SECOND;
    assertThat(send(call("p1", "y"), A, B).replica()).isEqualTo(A);
  }

  @Test
  void aPageBehindAnotherBeginningIsNoHit() {
    answer(send(call("p1", "p2"), B), 4010, 0);
    assertThat(send(call("p2", "p1"), A, B).decision().cachedBlocks()).isEqualTo(1);
  }

  @Test
  void callsThatComeAtOnceAreSpread() {
    List<String> chosen = new ArrayList<>();
    for (String page : List.of("p1", "p2", "p3")) {
      chosen.add(send(call(page), A, B, C).replica().id());
    }
    assertThat(chosen).containsExactlyInAnyOrder("a", "b", "c");
  }

  /** Of an agent that lives on the router's node. */
  private static InferenceRequest ofAgent(String page) {
    InferenceRequest call = call(page);
    return call.context(call.context().agent("acme/lab/" + page));
  }

  @Test
  void pagesOfAgentsAreComputedWhereTheyLiveUntilTooManyWait() {
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      chosen.add(send(ofAgent("p" + i), A, B, C).replica().id());
    }
    assertThat(chosen.subList(0, 3)).containsOnly("a");
    assertThat(chosen).as("no queue is waited in for ever").contains("b", "c");
  }

  @Test
  void pagesOfAgentsThatAreElsewhereAreReadThere() {
    answer(send(ofAgent("p1"), B), 2010, 0);
    now += 100 * SECOND;
    assertThat(send(ofAgent("p1"), A, B, C).replica()).isEqualTo(B);
  }

  @Test
  void agentsOfANodeWithoutAReplicaGoAnywhere() {
    listed = List.of(B, C);
    List<String> chosen = new ArrayList<>();
    for (String page : List.of("p1", "p2")) {
      chosen.add(send(ofAgent(page), B, C).replica().id());
    }
    assertThat(chosen).containsExactlyInAnyOrder("b", "c");
  }

  @Test
  void aCallThatFailsLeavesNothingBehind() {
    Sent lost = send(call("p1"), B);
    lost.failed(Outcome.FAILED);
    assertThat(send(call("p1"), A, B).replica()).isEqualTo(A);
    assertThat(outcomes).containsExactly("sent b", "FAILED b", "sent a");
  }

  @Test
  void whatThePageTableSaysCountsWhereTheGatewayKnowsNothingAndFromTheStartOn() {
    pages.put("p1", Set.of("b"));
    pages.put("p3", Set.of("c"));
    assertThat(send(call("p1", "p2"), A, B, C).replica()).isEqualTo(B);
    assertThat(send(call("p2", "p3"), A, C).replica()).as("p3 is behind p2").isEqualTo(A);
  }

  @Test
  void whatThisGatewayKnowsCountsBeforeThePageTable() {
    pages.put("p1", Set.of("b"));
    for (int i = 0; i < 300; i++) {
      // the server shows each time that nothing of it was cached
      answer(send(call("p1"), B), 2010, 0);
    }
    now += 1000 * SECOND;
    assertThat(send(call("p1"), B).decision().cachedBlocks()).isLessThan(3);
  }

  @Test
  void replicasThatMayNotBeCalledAreLeftOut() {
    down.add("a");
    assertThat(send(call("p1"), A, B).replica()).isEqualTo(B);
    down.addAll(List.of("b", "c"));
    assertThat(send(call("p1"), A).replica()).as("where none is well, all are tried").isEqualTo(A);
    down.clear();
    listed = List.of();
    assertThat(route(call("p1"), List.of())).isEqualTo(new Route.Nowhere(Refusal.NO_REPLICA));
    InferenceRequest call = call("p1");
    listed = List.of(B, C);
    assertThat(
            router.send(
                call,
                router.blocks(call),
                ModelCatalog.UNNAMED,
                Set.of("b"),
                one -> one == C,
                one -> true))
        .isEqualTo(new Route.Nowhere(Refusal.FULL));
  }

  @Test
  void ofEqualOnesTheOwnNodesIsTaken() {
    listed = List.of(C, B, A);
    assertThat(send(call("p1"), A, B, C).replica()).isEqualTo(A);
  }

  @Test
  void whatTheServerSaysOfItsQueueCounts() {
    // to have an average
    answer(send(call("p0"), A), 2010, 0);
    now += 10 * SECOND;
    router.load("a", new EngineLoad(3, 4, 0.5, OptionalLong.empty(), OptionalInt.empty()));
    assertThat(send(call("p1"), A, B).replica()).isEqualTo(B);
  }

  @Test
  void whatTheServerSaysOfItsCacheCounts() {
    router.events("b", List.of());
    InferenceRequest call = call("p1");
    Sent first = send(call, B);
    List<Long> blocks = LongStream.range(1, 127).boxed().toList();
    router.events("b", List.of(new KvEvent.Stored(blocks, OptionalLong.empty(), 16)));
    answer(first, 126 * 16 + 3, 0);
    now += 100 * SECOND;
    assertThat(
            router.decide(
                call, router.blocks(call), ModelCatalog.UNNAMED, Set.of("a", "c"), one -> false))
        .isInstanceOfSatisfying(
            Decision.Run.class, run -> assertThat(run.cachedBlocks()).isGreaterThan(30));
    now += 100 * SECOND;
    router.events("b", List.of(new KvEvent.Removed(List.of(1L))));
    CallRouter.Sent again = send(call("p1", "p9"), A, B);
    assertThat(again.replica()).isEqualTo(A);
  }

  @Test
  void hitsAreWholeBlocksOfTheReplica() {
    answer(send(call("p1"), A), 2010, 0);
    now += 100 * SECOND;
    Sent again = send(call("p1", "x"), A);
    long all = again.cached(4011);
    assertThat(all % 32).as("the size of blocks is not known").isPositive();
    router.load("a", new EngineLoad(0, 0, 0, OptionalLong.empty(), OptionalInt.of(32)));
    assertThat(again.cached(4011)).isEqualTo(all - all % 32);
  }

  @Test
  void gatewaysTellEachOtherWhatTheyWaitFor() throws Exception {
    List<List<Backlog>> published = new CopyOnWriteArrayList<>();
    List<BiConsumer<String, List<Backlog>>> listeners = new ArrayList<>();
    BacklogExchange exchange =
        new BacklogExchange() {
          @Override
          public void publish(List<Backlog> backlogs) {
            published.add(backlogs);
          }

          @Override
          public void listen(BiConsumer<String, List<Backlog>> reports) {
            listeners.add(reports);
          }
        };
    CallRouter.Reports reports = router.exchange(exchange, CallObserver.NONE);
    try {
      Sent sent = send(call("p1"), A);
      await().atMost(Duration.ofSeconds(20)).until(() -> !published.isEmpty());
      assertThat(published.getFirst())
          .singleElement()
          .satisfies(one -> {
            assertThat(one.replica()).isEqualTo("a");
            assertThat(one.waiting()).isEqualTo(1);
            assertThat(one.seconds()).isPositive();
          });
      sent.failed(Outcome.NOTHING);
      await().atMost(Duration.ofSeconds(20)).until(() -> published.getLast().isEmpty());
    } finally {
      reports.close();
    }
    listeners.getFirst().accept("node-2", List.of(new Backlog("a", 5, 3, 3)));
    assertThat(send(call("p2"), A, B).replica()).isEqualTo(B);
  }

  @Test
  void itIsToldHowEachReplicaStands() {
    router.events("b", List.of());
    Sent sent = send(call("p1"), A);
    router.load("a", new EngineLoad(1, 2, 0.5, OptionalLong.empty(), OptionalInt.empty()));
    Map<String, ReplicaStatus> status = statusById();
    assertThat(status).containsOnlyKeys("a", "b", "c");
    ReplicaStatus a = status.get("a");
    assertThat(a.state()).isEqualTo("serving");
    assertThat(a.calls()).isEqualTo(1);
    assertThat(a.backlogSeconds()).isPositive();
    assertThat(a.prefillSeconds()).isPositive();
    assertThat(a.load().orElseThrow().waiting()).isEqualTo(2);
    assertThat(a.events()).isFalse();
    assertThat(status.get("b").events()).isTrue();
    assertThat(status.get("b").load()).isEmpty();
    sent.failed(Outcome.NOTHING);
    now += 61 * SECOND;
    assertThat(statusById().get("a").load()).as("too old").isEmpty();
    listed = List.of(B);
    assertThat(statusById()).containsOnlyKeys("b");
  }

  private Map<String, ReplicaStatus> statusById() {
    Map<String, ReplicaStatus> status = new HashMap<>();
    router.status().forEach(one -> status.put(one.id(), one));
    return status;
  }
}
