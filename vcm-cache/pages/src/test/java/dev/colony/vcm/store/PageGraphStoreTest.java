package dev.colony.vcm.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.mapping.PageGraph.PageEdge;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PageGraphStoreTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String MAP = "a-map";

  private final String tenant = "test-" + UUID.randomUUID();

  static Stream<Blackboards> backends() {
    return Stream.of(
        new InMemoryBlackboards(BlackboardSettings.DEFAULTS, Clock.systemUTC()),
        new RedisBlackboards(
            new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20)),
            BlackboardSettings.DEFAULTS));
  }

  private PageGraphStore store(Blackboards blackboards) {
    return new PageGraphStore(
        blackboards.open(PageGraphStore.scope(tenant), "test"), new StoreSettings(1 << 20, 2, 4));
  }

  private static PageGraph graph() {
    PageGraph graph = new PageGraph();
    for (int i = 0; i < 5; i++) {
      graph.restore(
          Fixtures.page(i),
          Fixtures.page((i + 1) % 5),
          new PageEdge(0.1 * (i + 1), 3.25, 1.5, NOW.minusSeconds(i)));
    }
    graph.add(Fixtures.page(7));
    return graph;
  }

  private static PageGraph load(PageGraphStore store) {
    return store.load(MAP);
  }

  @ParameterizedTest
  @MethodSource("backends")
  void givesBackWhatWasSaved(Blackboards blackboards) {
    try (blackboards) {
      PageGraph graph = graph();
      assertThat(load(store(blackboards)).pages()).isEmpty();
      store(blackboards).save(MAP, graph);
      PageGraph loaded = load(store(blackboards));
      assertThat(loaded.pages()).isEqualTo(graph.pages());
      for (PageId page : graph.pages()) {
        assertThat(loaded.edges(page)).isEqualTo(graph.edges(page));
      }
      assertThat(store(blackboards).load("another").pages()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("backends")
  void whatSeveralLearnAtOnceAddsUp(Blackboards blackboards) {
    try (blackboards) {
      store(blackboards).save(MAP, graph());
      List<PageId> asked = List.of(Fixtures.page(1), Fixtures.page(3), Fixtures.page(7));
      List<PageId> answered = List.of(Fixtures.page(7));
      int questions = 8;
      CompletableFuture.allOf(
              Stream.generate(() -> store(blackboards))
                  .limit(questions)
                  .map(store ->
                      CompletableFuture.runAsync(
                          () -> store.learn(MAP, Fixtures.page(0), asked, answered, NOW),
                          Thread::startVirtualThread))
                  .toArray(CompletableFuture[]::new))
          .join();
      PageGraph loaded = load(store(blackboards));
      assertThat(loaded.edges(Fixtures.page(0)))
          .containsOnlyKeys(Fixtures.page(1), Fixtures.page(7))
          .containsEntry(Fixtures.page(7), new PageEdge(0, questions, questions, NOW))
          .containsEntry(Fixtures.page(1), new PageEdge(0.1, 3.25 + questions, 1.5, NOW));
      store(blackboards).learn(MAP, Fixtures.page(30), asked, answered, NOW);
      assertThat(load(store(blackboards)).pages()).doesNotContain(Fixtures.page(30));
    }
  }
}
