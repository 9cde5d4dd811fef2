package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.Blackboards;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ResidentPages.Change;
import dev.colony.server.node.ResidencyReporter.ObservedPages;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What gateways know of caches by events stands in the page table. */
class ObservedPagesTest {

  private static final PageId P = new PageId("p".repeat(26));
  private static final PageId Q = new PageId("q".repeat(26));
  private static final PageId R = new PageId("r".repeat(26));
  private static final ReplicaId SERVER = new ReplicaId("gpu1:8000");
  private static final Replica OWN =
      new Replica("node-1", URI.create("http://127.0.0.1:8000"), "127.0.0.1:7000");

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final BlackboardPageTable table =
      new BlackboardPageTable(
          blackboards, "1", TableSettings.fromConfig(ConfigFactory.defaultReference()));
  private final ResidencyReporter own = new ResidencyReporter(OWN, table, 1);
  private final ObservedPages observed =
      new ObservedPages(new NodeAddress(OWN.node()), 1, 2, table, own);

  @BeforeEach
  void load() {
    table.loaded().toCompletableFuture().join();
  }

  @AfterEach
  void close() {
    table.close();
    blackboards.close();
  }

  private static Change change(Map<PageId, Integer> came, PageId... gone) {
    Map<String, Integer> ids = new HashMap<>();
    came.forEach((page, tokens) -> ids.put(page.value(), tokens));
    return new Change(ids, Set.copyOf(List.of(gone).stream().map(PageId::value).toList()));
  }

  private void awaitPages(ReplicaId replica, Map<PageId, Integer> pages) {
    await().until(() -> table.snapshot().pages(replica).equals(pages));
  }

  @Test
  void theTableFollowsWhatComesAndGoes() {
    observed.cached("gpu1:8000", change(Map.of()));
    await().until(() -> table.snapshot().knows(SERVER));
    observed.cached("gpu1:8000", change(Map.of(P, 10)));
    observed.cached("gpu1:8000", change(Map.of(Q, 20)));
    awaitPages(SERVER, Map.of(P, 10, Q, 20));
    observed.cached("gpu1:8000", change(Map.of(), P));
    awaitPages(SERVER, Map.of(Q, 20));
    observed.cacheUnknown("gpu1:8000");
    await().until(() -> !table.snapshot().knows(SERVER));
  }

  @Test
  void pagesBeyondTheBoundAreLeftOut() {
    observed.cached("gpu1:8000", change(Map.of(P, 10)));
    observed.cached("gpu1:8000", change(Map.of(Q, 20)));
    observed.cached("gpu1:8000", change(Map.of(R, 30)));
    awaitPages(SERVER, Map.of(P, 10, Q, 20));
    observed.cached("gpu1:8000", change(Map.of(R, 30), P));
    awaitPages(SERVER, Map.of(Q, 20, R, 30));
  }

  @Test
  void whatTheOwnReplicaPublishesTakesThePlaceOfWhatWasEstimatedOfIt() {
    ReplicaId node = new ReplicaId("node-1");
    own.introduce();
    own.estimated(Map.of(P.value(), 10));
    awaitPages(node, Map.of(P, 10));
    observed.cached("node-1", change(Map.of(Q, 20)));
    awaitPages(node, Map.of(Q, 20));
    own.estimated(Map.of(P.value(), 10));
    own.resident(Map.of(R.value(), 10));
    awaitPages(node, Map.of(Q, 20, R, 10));
    own.estimated(Map.of(P.value(), 10));
    awaitPages(node, Map.of(Q, 20));
    assertThat(table.snapshot().replicas()).hasSize(1);
  }
}
