package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.colony.inference.replicas.Replica;
import dev.colony.server.node.LiveReplicas.DepartedReplicas;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DepartedReplicasTest {

  private static final NodeAddress HERE = new NodeAddress("127.0.0.1:7000");
  private static final NodeAddress THERE = new NodeAddress("127.0.0.1:7001");
  private static final PageId PAGE = new PageId("a".repeat(26));

  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final BlackboardPageTable table =
      new BlackboardPageTable(
          boards, "test", TableSettings.fromConfig(ConfigFactory.defaultReference()));
  private Set<NodeAddress> members = Set.of(HERE, THERE);
  private Instant now = Instant.EPOCH;
  private final DepartedReplicas departed =
      new DepartedReplicas(table, () -> members, Duration.ofSeconds(10), () -> now);

  @BeforeEach
  void enter() {
    table.loaded().toCompletableFuture().join();
    enter(HERE, 1);
    enter(THERE, 1);
  }

  @AfterEach
  void close() {
    table.close();
    boards.close();
  }

  @Test
  void theReplicaOfANodeThatIsGoneForAWhileGoes() {
    look(20);
    members = Set.of(HERE);
    look(0);
    look(9);
    assertThat(known()).containsExactly("r7000", "r7001");
    look(1);
    await().until(() -> known().equals(List.of("r7000")));
  }

  @Test
  void whoComesBackStaysForAnotherWhile() {
    members = Set.of(HERE);
    look(9);
    members = Set.of(HERE, THERE);
    look(1);
    members = Set.of(HERE);
    look(9);
    nobodyHasGone();
  }

  @Test
  void whoBeginsANewLifeStaysForAnotherWhile() {
    members = Set.of(HERE);
    look(9);
    enter(THERE, 2);
    look(9);
    nobodyHasGone();
  }

  @Test
  void whoIsNoMemberItselfTakesNobodyForGone() {
    members = Set.of();
    look(60);
    look(60);
    nobodyHasGone();
  }

  @Test
  void whoWasTakenForGoneByMistakeEntersItselfAgain() {
    ResidencyReporter reporter =
        new ResidencyReporter(
            new Replica("r7000", URI.create("http://127.0.0.1:8000"), HERE.value()), table, 1);
    table.onChange(reporter::changed);
    reporter.resident(Map.of(PAGE.value(), 10));
    await().until(() -> table.snapshot().resident(PAGE, HERE));
    table.withdraw(new ReplicaId("r7000")).toCompletableFuture().join();
    enter(THERE, 2);
    await().until(() -> table.snapshot().resident(PAGE, HERE));
  }

  /** What is entered last is known last. */
  private void nobodyHasGone() {
    enter(new NodeAddress("127.0.0.1:7002"), 1);
    assertThat(known()).containsExactly("r7000", "r7001", "r7002");
  }

  private void look(long seconds) {
    now = now.plusSeconds(seconds);
    departed.look();
  }

  private void enter(NodeAddress node, long incarnation) {
    ReplicaId replica = new ReplicaId("r" + node.value().substring(node.value().indexOf(':') + 1));
    table.report(
        new ReplicaResidency(
            replica, node, URI.create("http://" + node), incarnation, 1, Map.of(PAGE, 10)));
    await()
        .until(() ->
            table
                .snapshot()
                .replica(replica)
                .filter(known -> known.incarnation() == incarnation)
                .isPresent());
  }

  private List<String> known() {
    return table.snapshot().replicas().stream().map(one -> one.replica().value()).toList();
  }
}
