package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnitAssignerTest {

  private static final NodeAddress A = new NodeAddress("a:1");
  private static final NodeAddress B = new NodeAddress("b:1");
  private static final PageId P1 = Fixtures.page(1);
  private static final PageGroup GROUP = new PageGroup(Fixtures.group(1), "d", List.of(P1), 100);

  @Test
  void prefersAUnitThatRunsWhereThePagesAre() {
    PageTableSnapshot table = table(Map.of(B, Map.of(P1, 100)), List.of());
    ClusterView cluster = ClusterView.of(List.of(A, B), Map.of(0, A, 1, A, 2, B));

    assertThat(assign(4, table, cluster)).isEqualTo(2);
  }

  @Test
  void amongThoseTheEmptiest() {
    PageTableSnapshot table =
        table(
            Map.of(B, Map.of(P1, 100)),
            List.of(new GroupAssignment(Fixtures.group(2), 2, List.of(Fixtures.page(2)), 50)));
    ClusterView cluster = ClusterView.of(List.of(A, B), Map.of(0, A, 2, B, 3, B));

    assertThat(assign(4, table, cluster)).isEqualTo(3);
  }

  @Test
  void takesAFreeUnitWhereNoneRunsThere() {
    PageTableSnapshot table = table(Map.of(B, Map.of(P1, 100)), List.of());
    ClusterView cluster = ClusterView.of(List.of(A, B), Map.of(0, A, 1, A));

    assertThat(assign(3, table, cluster)).isEqualTo(2);
  }

  @Test
  void aUnitOnNoNodeIsDrawnByItsGroups() {
    PageId other = Fixtures.page(2);
    PageTableSnapshot table =
        table(
            Map.of(B, Map.of(P1, 100, other, 50)),
            List.of(
                new GroupAssignment(Fixtures.group(2), 0, List.of(Fixtures.page(3)), 50),
                new GroupAssignment(Fixtures.group(3), 1, List.of(other), 50)));

    assertThat(assign(2, table, ClusterView.of(List.of(A, B), Map.of()))).isEqualTo(1);
  }

  @Test
  void whatIsResidentOnANodeThatIsGoneDrawsNothing() {
    PageTableSnapshot table = table(Map.of(B, Map.of(P1, 100)), List.of());
    ClusterView cluster = ClusterView.of(List.of(A), Map.of(0, A, 1, B));

    assertThat(assign(2, table, cluster)).isEqualTo(1);
  }

  private static int assign(int units, PageTableSnapshot table, ClusterView cluster) {
    return new UnitAssigner(units).assign(List.of(GROUP), table, cluster).get(GROUP.id());
  }

  private static PageTableSnapshot table(
      Map<NodeAddress, Map<PageId, Integer>> resident, List<GroupAssignment> assignments) {
    return new PageTableSnapshot(
        resident.entrySet().stream()
            .map(entry ->
                new ReplicaResidency(
                    new ReplicaId("r" + entry.getKey().value().charAt(0)),
                    entry.getKey(),
                    URI.create("http://" + entry.getKey()),
                    1,
                    1,
                    entry.getValue()))
            .toList(),
        assignments);
  }
}
