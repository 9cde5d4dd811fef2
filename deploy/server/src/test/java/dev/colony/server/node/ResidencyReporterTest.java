package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.Blackboards;
import dev.colony.inference.replicas.Replica;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResidencyReporterTest {

  private static final TableSettings SETTINGS =
      TableSettings.fromConfig(ConfigFactory.defaultReference());
  private static final PageId PAGE = new PageId("a".repeat(26));
  private static final Replica OWN =
      new Replica("node-1", URI.create("http://127.0.0.1:8000"), "127.0.0.1:7000");

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final BlackboardPageTable table = new BlackboardPageTable(blackboards, "1", SETTINGS);
  private final BlackboardPageTable elsewhere = new BlackboardPageTable(blackboards, "2", SETTINGS);

  @BeforeEach
  void load() {
    table.loaded().toCompletableFuture().join();
    elsewhere.loaded().toCompletableFuture().join();
  }

  @AfterEach
  void close() {
    table.close();
    elsewhere.close();
    blackboards.close();
  }

  @Test
  void aReplicaIsKnownBeforeItHasSaidAnything() {
    new ResidencyReporter(OWN, table, 1).introduce();

    await().until(() -> !elsewhere.snapshot().replicas().isEmpty());
    ReplicaResidency known = elsewhere.snapshot().replicas().iterator().next();
    assertThat(known.replica()).isEqualTo(new ReplicaId("node-1"));
    assertThat(known.baseUri()).isEqualTo(OWN.baseUri());
    assertThat(known.pages()).isEmpty();
  }

  @Test
  void whatOthersLeftUnderTheNodesAddressGoes() {
    elsewhere.report(residency("node-3", OWN.node()));
    elsewhere.report(residency("node-2", "127.0.0.1:7001"));
    await().until(() -> table.snapshot().replicas().size() == 2);
    new ResidencyReporter(OWN, table, 1).introduce();

    await().until(() -> ids(elsewhere).equals(List.of("node-1", "node-2")));
  }

  @Test
  void aWithdrawnReplicaStaysOutWhateverItsFeedStillSays() {
    ResidencyReporter reporter = new ResidencyReporter(OWN, table, 1);
    reporter.resident(Map.of(PAGE.value(), 10));
    await().until(() -> !elsewhere.snapshot().replicasWith(PAGE).isEmpty());
    reporter.withdraw().toCompletableFuture().join();
    reporter.resident(Map.of(PAGE.value(), 10));
    table.report(residency("node-2", "127.0.0.1:7001"));

    await().until(() -> ids(elsewhere).equals(List.of("node-2")));
    await().until(() -> ids(table).equals(List.of("node-2")));
  }

  private static List<String> ids(PageTable table) {
    return table.snapshot().replicas().stream().map(one -> one.replica().value()).toList();
  }

  private static ReplicaResidency residency(String replica, String node) {
    return new ReplicaResidency(
        new ReplicaId(replica),
        new NodeAddress(node),
        URI.create("http://" + node),
        1,
        1,
        Map.of(PAGE, 10));
  }
}
