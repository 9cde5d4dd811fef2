package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.AffinityPolicy.HomeChoice;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PlacementPolicy.PlacementRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HomeChoiceTest {

  private static final NodeAddress A = new NodeAddress("a:1");
  private static final NodeAddress B = new NodeAddress("b:1");
  private static final int TOKENS = 100;

  /** Units 0 to 3 are on A, 4 to 7 on B; group i with page i belongs to unit i. */
  private static final ClusterView CLUSTER =
      ClusterView.of(List.of(A, B), Map.of(0, A, 1, A, 2, A, 3, A, 4, B, 5, B, 6, B, 7, B));

  private final HomeChoice choice = new HomeChoice(0.5);

  @Test
  void whoIsBoundLivesInTheUnitOfTheGroup() {
    assertThat(choice.better(request(2, 1, true), table(Map.of()), CLUSTER)).hasValue(1);
    assertThat(choice.better(request(1, 1, true), table(Map.of(1, B)), CLUSTER)).isEmpty();
  }

  @Test
  void whoPrefersPagesGoesWhereTheyAreAndStaysThere() {
    PageTableSnapshot table = table(Map.of(1, B));
    OptionalInt unit = choice.better(request(1, 1, false), table, CLUSTER);
    assertThat(unit.getAsInt()).isBetween(4, 7);
    assertThat(choice.better(request(unit.getAsInt(), 1, false), table, CLUSTER)).isEmpty();
    assertThat(choice.better(request(5, 1, false), table(Map.of(1, A)), CLUSTER)).hasValue(1);
    assertThat(choice.better(request(1, 1, false), table(Map.of()), CLUSTER)).isEmpty();
  }

  @Test
  void whoHasNoPagesOrWhoseGroupNobodyKnowsStays() {
    PageTableSnapshot table = table(Map.of(1, B));
    assertThat(choice.better(new PlacementRequest(1, Optional.empty(), false, 7), table, CLUSTER))
        .isEmpty();
    assertThat(choice.better(request(1, 99, true), table, CLUSTER)).isEmpty();
  }

  @Test
  void somebodyIsSentToAnyNodeThatHasUnits() {
    PageTableSnapshot table = table(Map.of());
    PlacementRequest request = new PlacementRequest(1, Optional.empty(), false, 7);
    assertThat(choice.on(B, request, table, CLUSTER).getAsInt()).isBetween(4, 7);
    assertThat(choice.on(A, request, table, CLUSTER)).isEmpty();
    assertThat(choice.on(new NodeAddress("c:1"), request, table, CLUSTER)).isEmpty();
  }

  @Test
  void manyAreSpreadOverTheUnitsOfTheirNode() {
    Set<Integer> units = new HashSet<>();
    for (int key = 0; key < 100; key++) {
      PlacementRequest request = new PlacementRequest(1, Optional.empty(), false, key);
      units.add(choice.on(B, request, table(Map.of()), CLUSTER).getAsInt());
    }
    assertThat(units).containsExactlyInAnyOrder(4, 5, 6, 7);
  }

  @Test
  void anotherNodeHasToHoldMoreByTheMargin() {
    PlacementRequest onA = request(1, 1, false);
    assertThat(choice.better(onA, fourPages(1, 2), CLUSTER)).isEmpty();
    assertThat(choice.better(onA, fourPages(1, 3), CLUSTER).getAsInt()).isBetween(4, 7);
    assertThat(choice.better(onA, fourPages(0, 1), CLUSTER)).isEmpty();
    assertThat(choice.better(onA, fourPages(0, 2), CLUSTER).getAsInt()).isBetween(4, 7);
  }

  @Test
  void theUnitOfTheNodeThatHasFewestPagesIsTaken() {
    PageTableSnapshot table =
        new PageTableSnapshot(List.of(), List.of(group(4, 1), group(5, 2), group(7, 1)));
    for (int key = 0; key < 20; key++) {
      assertThat(
              choice.on(B, new PlacementRequest(1, Optional.empty(), false, key), table, CLUSTER))
          .hasValue(6);
    }
  }

  @Property(tries = 200)
  void nobodyMovesTwiceAndOnlyToNodesThatHoldMore(@ForAll long seed) {
    Random random = new Random(seed);
    Map<Integer, NodeAddress> resident = new HashMap<>();
    for (int page = 0; page < 8; page++) {
      if (random.nextBoolean()) {
        resident.put(page, random.nextBoolean() ? A : B);
      }
    }
    PageTableSnapshot table = table(resident);
    for (int unit = 0; unit < 8; unit++) {
      for (int group = 0; group < 8; group++) {
        PlacementRequest request = request(unit, group, random.nextBoolean());
        OptionalInt better = choice.better(request, table, CLUSTER);
        assertThat(better).as("seed " + seed).isEqualTo(choice.better(request, table, CLUSTER));
        if (better.isPresent()) {
          PlacementRequest moved = request(better.getAsInt(), group, request.bound());
          assertThat(better.getAsInt()).isNotEqualTo(unit);
          assertThat(choice.better(moved, table, CLUSTER)).as("seed " + seed).isEmpty();
          NodeAddress node = CLUSTER.units().get(better.getAsInt());
          assertThat(request.bound() || node.equals(resident.get(group))).isTrue();
        }
      }
    }
  }

  private static PlacementRequest request(int unit, int group, boolean bound) {
    return new PlacementRequest(unit, Optional.of(Fixtures.group(group)), bound, 31 * unit + group);
  }

  /** A group of four pages in unit 1, of which so many are on A and the next so many on B. */
  private static PageTableSnapshot fourPages(int onA, int onB) {
    List<ReplicaResidency> replicas =
        List.of(residency(A, pages(0, onA)), residency(B, pages(onA, onA + onB)));
    return new PageTableSnapshot(replicas, List.of(group(1, 4)));
  }

  /** The group of a unit, which has the first so many pages. */
  private static GroupAssignment group(int unit, int pages) {
    return new GroupAssignment(Fixtures.group(unit), unit, pages(0, pages), pages * TOKENS);
  }

  private static List<PageId> pages(int from, int to) {
    return IntStream.range(from, to).mapToObj(Fixtures::page).toList();
  }

  private static ReplicaResidency residency(NodeAddress node, List<PageId> pages) {
    return new ReplicaResidency(
        new ReplicaId(node.value().replace(':', '-')),
        node,
        URI.create("http://" + node),
        1,
        1,
        pages.stream().collect(Collectors.toMap(page -> page, page -> TOKENS)));
  }

  private static PageTableSnapshot table(Map<Integer, NodeAddress> resident) {
    Map<NodeAddress, List<PageId>> pages = new TreeMap<>();
    resident.forEach((page, node) ->
        pages.computeIfAbsent(node, key -> new ArrayList<>()).add(Fixtures.page(page)));
    List<ReplicaResidency> replicas = new ArrayList<>();
    pages.forEach((node, held) -> replicas.add(residency(node, held)));
    List<GroupAssignment> groups = new ArrayList<>();
    for (int unit = 0; unit < 8; unit++) {
      groups.add(
          new GroupAssignment(Fixtures.group(unit), unit, List.of(Fixtures.page(unit)), TOKENS));
    }
    return new PageTableSnapshot(replicas, groups);
  }
}
