package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PageTableSnapshotTest {

  private static final NodeAddress A = new NodeAddress("127.0.0.1:1");
  private static final NodeAddress B = new NodeAddress("127.0.0.1:2");
  private static final URI SERVER = URI.create("http://127.0.0.1:8000");
  private static final PageId P1 = Fixtures.page(1);
  private static final PageId P2 = Fixtures.page(2);
  private static final PageId P3 = Fixtures.page(3);

  private final PageTableSnapshot table =
      new PageTableSnapshot(
          List.of(
              new ReplicaResidency(new ReplicaId("a1"), A, SERVER, 1, 1, Map.of(P1, 10, P2, 20)),
              new ReplicaResidency(new ReplicaId("a2"), A, SERVER, 1, 1, Map.of(P2, 15)),
              new ReplicaResidency(new ReplicaId("b1"), B, SERVER, 1, 1, Map.of(P2, 20))),
          List.of(
              new GroupAssignment(Fixtures.group(1), 4, List.of(P1), 10),
              new GroupAssignment(Fixtures.group(2), 4, List.of(P2, P3), 50)));

  @Test
  void saysWhereAPageIsResident() {
    assertThat(table.replicasWith(P2))
        .containsExactly(new ReplicaId("a1"), new ReplicaId("a2"), new ReplicaId("b1"));
    assertThat(table.replicasWith(P3)).isEmpty();
    assertThat(table.resident(P1, A)).isTrue();
    assertThat(table.resident(P1, B)).isFalse();
  }

  @Test
  void countsAPageOncePerNode() {
    assertThat(table.residentTokens(List.of(P1, P2, P3))).isEqualTo(Map.of(A, 30L, B, 20L));
    assertThat(table.residentTokens(List.of(P3))).isEmpty();
  }

  @Test
  void sumsUpAUnit() {
    assertThat(table.units()).containsExactly(4);
    assertThat(table.residentTokens(4)).isEqualTo(Map.of(A, 30L, B, 20L));
    assertThat(table.sizeTokens(4)).isEqualTo(60);
    assertThat(table.groups(4)).hasSize(2);
    assertThat(table.groups(5)).isEmpty();
    assertThat(table.sizeTokens(5)).isZero();
    assertThat(table.unit(Fixtures.group(1))).hasValue(4);
    assertThat(table.unit(Fixtures.group(3))).isEmpty();
  }
}
