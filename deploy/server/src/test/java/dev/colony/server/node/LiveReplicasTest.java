package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.replicas.Replica;
import dev.colony.vcm.PageId;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.table.HolderLeases;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaId;
import java.net.URI;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LiveReplicasTest {

  private static final String A = "127.0.0.1:1";
  private static final String B = "127.0.0.1:2";
  private static final String C = "127.0.0.1:3";
  private static final String PAGE = "a".repeat(26);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Replica OWN = new Replica("ra", server("a"), A);

  private final Set<NodeAddress> members = new HashSet<>();

  @Test
  void theOwnReplicaIsThereBeforeAnythingIsKnown() {
    LiveReplicas replicas = replicas();

    assertThat(replicas.replicas()).containsExactly(OWN);
    assertThat(replicas.replicasOf(PAGE)).isEmpty();
  }

  @Test
  void replicasOfLiveMembersAreKnownHoldingSomethingOrNot() {
    LiveReplicas replicas =
        replicas(residency("ra", A, "a"), residency("rb", B, "b", PAGE), residency("rc", C, "c"));
    live(A, B, C);

    assertThat(replicas.replicas())
        .containsExactly(OWN, new Replica("rb", server("b"), B), new Replica("rc", server("c"), C));
    assertThat(replicas.replicasOf(PAGE)).containsExactly("rb");
  }

  @Test
  void aNodeThatIsGoneHasNoReplicaAndHoldsNothing() {
    LiveReplicas replicas = replicas(residency("ra", A, "a", PAGE), residency("rb", B, "b", PAGE));
    live(A, B);
    assertThat(replicas.replicasOf(PAGE)).containsExactlyInAnyOrder("ra", "rb");
    members.remove(new NodeAddress(B));

    assertThat(replicas.replicas()).containsExactly(OWN);
    assertThat(replicas.replicasOf(PAGE)).containsExactly("ra");
  }

  @Test
  void whatAnEarlierNodeLeftUnderThisOnesAddressOrNameIsPassedOver() {
    LiveReplicas sameAddress = replicas(residency("rb", A, "b", PAGE));
    LiveReplicas sameName = replicas(residency("ra", B, "b", PAGE));
    live(A, B);

    assertThat(List.of(sameAddress, sameName))
        .allSatisfy(replicas -> {
          assertThat(replicas.replicas()).containsExactly(OWN);
          assertThat(replicas.replicasOf(PAGE)).isEmpty();
        });
  }

  @Test
  void aServerThatNodesShareIsOneReplica() {
    LiveReplicas withOwn = replicas(residency("ra", A, "a"), residency("rb", B, "a", PAGE));
    LiveReplicas amongOthers = replicas(residency("rb", B, "x"), residency("rc", C, "x", PAGE));
    live(A, B, C);

    assertThat(withOwn.replicas()).containsExactly(OWN);
    assertThat(withOwn.replicasOf(PAGE)).containsExactly("ra");
    assertThat(amongOthers.replicas()).containsExactly(OWN, new Replica("rb", server("x"), B));
    assertThat(amongOthers.replicasOf(PAGE)).containsExactly("rb");
  }

  @Test
  void aListedServerHoldsWhatTheTableKnowsOfItAndIsNoNodesReplica() {
    PageTableSnapshot table =
        new PageTableSnapshot(
            List.of(residency("rb", B, "b")),
            List.of(
                new ObservedResidency(
                    new NodeAddress(B), new ReplicaId("gpu1:8000"), 1, 1, pages(PAGE))),
            List.of());
    LiveReplicas replicas =
        new LiveReplicas(OWN, () -> table, () -> members, Clearances.ALL, () -> NOW);
    live(A, B);
    assertThat(replicas.replicas()).containsExactly(OWN, new Replica("rb", server("b"), B));
    assertThat(replicas.replicasOf(PAGE)).containsExactly("gpu1:8000");
    assertThat(replicas.victims("no/name with blanks")).isEmpty();
  }

  @Test
  void whatIsNotLockedGoesBeforeWhatIs() {
    String other = "q".repeat(26);
    HolderLeases locks =
        new HolderLeases(
            "h",
            NOW,
            new TreeMap<>(Map.of(new PageId(PAGE), NOW.plusSeconds(10))),
            new TreeMap<>());
    PageTableSnapshot table =
        new PageTableSnapshot(
                List.of(residency("ra", A, "a", PAGE, other), residency("rb", B, "b", other)),
                List.of())
            .with(List.of(), List.of(locks));
    Instant[] now = {NOW};
    LiveReplicas replicas =
        new LiveReplicas(OWN, () -> table, () -> members, Clearances.ALL, () -> now[0]);

    assertThat(replicas.locked(PAGE)).isTrue();
    assertThat(replicas.locked(other)).isFalse();
    assertThat(replicas.victims("ra")).containsExactly(other);
    assertThat(replicas.victims("rb")).as("nothing is locked there").isEmpty();
    now[0] = NOW.plusSeconds(10);
    assertThat(replicas.locked(PAGE)).isFalse();
    assertThat(replicas.victims("ra")).as("nothing is locked any more").isEmpty();
  }

  private void live(String... nodes) {
    List.of(nodes).forEach(node -> members.add(new NodeAddress(node)));
  }

  private LiveReplicas replicas(ReplicaResidency... known) {
    PageTableSnapshot table = new PageTableSnapshot(List.of(known), List.of());
    return new LiveReplicas(OWN, () -> table, () -> members, Clearances.ALL, () -> NOW);
  }

  private static ReplicaResidency residency(
      String replica, String node, String server, String... pages) {
    Map<PageId, Integer> resident = pages(pages);
    return new ReplicaResidency(
        new ReplicaId(replica), new NodeAddress(node), server(server), 1, 1, resident);
  }

  private static Map<PageId, Integer> pages(String... pages) {
    Map<PageId, Integer> resident = new HashMap<>();
    List.of(pages).forEach(page -> resident.put(new PageId(page), 100));
    return resident;
  }

  private static URI server(String name) {
    return URI.create("http://" + name + ":8000");
  }
}
