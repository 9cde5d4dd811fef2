package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.table.AffinityPolicy.Rebalancer;
import dev.colony.vcm.table.AffinityPolicy.UnitPlacer;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UnitPlacerTest {

  private static final NodeAddress A = new NodeAddress("a:1");
  private static final NodeAddress B = new NodeAddress("b:1");
  private static final NodeAddress C = new NodeAddress("c:1");

  /** Unit i has one group of 100 tokens with page i; B holds all of them. */
  private static final PageTableSnapshot TABLE =
      new PageTableSnapshot(
          List.of(
              new ReplicaResidency(
                  new ReplicaId("rb"),
                  B,
                  URI.create("http://b:8000"),
                  1,
                  1,
                  IntStream.range(0, 9)
                      .boxed()
                      .collect(java.util.stream.Collectors.toMap(Fixtures::page, i -> 100)))),
          IntStream.range(0, 9)
              .mapToObj(
                  i -> new GroupAssignment(Fixtures.group(i), i, List.of(Fixtures.page(i)), 100))
              .toList());

  @Test
  void goesWhereThePagesAre() {
    ClusterView cluster = ClusterView.of(List.of(A, B, C), Map.of(1, B, 2, B));

    assertThat(new UnitPlacer(2).place(0, TABLE, cluster)).isEqualTo(B);
  }

  @Test
  void goesElsewhereWhenThatNodeHasItsShare() {
    Map<Integer, NodeAddress> full = new TreeMap<>();
    IntStream.range(0, 6).forEach(i -> full.put(i, B));
    full.put(6, A);

    assertThat(new UnitPlacer(2).place(7, TABLE, ClusterView.of(List.of(A, B, C), full)))
        .isEqualTo(C);
  }

  @Test
  void withoutResidencyGoesToTheLeastLoaded() {
    ClusterView cluster = ClusterView.of(List.of(A, B, C), Map.of(0, A, 20, B, 21, B, 22, C));

    assertThat(new UnitPlacer(2).place(30, TABLE, cluster)).isEqualTo(C);
    assertThat(new UnitPlacer(2).place(30, TABLE, ClusterView.of(List.of(C, A), Map.of())))
        .isEqualTo(A);
  }

  @Test
  void whatADepartedNodeHeldDoesNotCount() {
    ClusterView cluster = ClusterView.of(List.of(A, C), Map.of(0, A, 1, B, 2, B, 3, B));

    assertThat(new UnitPlacer(2).place(4, TABLE, cluster)).isEqualTo(C);
  }

  @Test
  void aClusterWithoutNodesTakesNothing() {
    assertThatThrownBy(() -> new UnitPlacer(2).place(0, TABLE, ClusterView.of(List.of(), Map.of())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void rebalancingLeavesAloneWhatIsWithinTheHysteresis() {
    ClusterView cluster = ClusterView.of(List.of(A, B), Map.of(0, A, 1, A, 2, A, 3, B));

    assertThat(new Rebalancer(1.6, 2).rebalance(TABLE, cluster)).isEmpty();
  }

  @Test
  void rebalancingMovesAFewFromTheFullestToTheEmptiest() {
    Map<Integer, NodeAddress> units = new TreeMap<>();
    IntStream.range(0, 8).forEach(i -> units.put(i, A));
    units.put(8, C);
    ClusterView cluster = ClusterView.of(List.of(A, B, C), units);

    assertThat(new Rebalancer(2, 2).rebalance(TABLE, cluster)).isEqualTo(Map.of(0, B, 1, B));
    assertThat(new Rebalancer(2, 0).rebalance(TABLE, cluster)).isEmpty();
  }

  @Test
  void rebalancingNeverTurnsTheImbalanceAround() {
    assertThat(new Rebalancer(1.1, 5).rebalance(TABLE, ClusterView.of(List.of(A, B), Map.of(0, A))))
        .isEmpty();
  }
}
