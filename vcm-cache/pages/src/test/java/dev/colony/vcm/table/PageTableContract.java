package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTable.UnitChoice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a page table does, over any backend. */
abstract class PageTableContract extends PageLeasesContract {

  @Test
  void allNodesLearnWhatIsResident() {
    PageTable here = table();
    PageTable there = table();
    here.report(residency(1, 1, Map.of(P1, 10)));

    await().until(() -> there.snapshot().residentTokens(List.of(P1)).equals(Map.of(NODE, 10L)));
    await().until(() -> here.snapshot().resident(P1, NODE));
    await().until(() -> table().snapshot().resident(P1, NODE));
  }

  @Test
  void aReportReplacesTheOneBefore() {
    PageTable here = table();
    PageTable there = table();
    here.report(residency(1, 1, Map.of(P1, 10)));
    await().until(() -> there.snapshot().resident(P1, NODE));
    here.report(residency(1, 2, Map.of(P2, 20)));

    await().until(() -> there.snapshot().resident(P2, NODE));
    assertThat(there.snapshot().resident(P1, NODE)).isFalse();
  }

  @Test
  void reportsInABurstAreGathered() {
    PageTable here = table();
    PageTable there = table();
    for (int version = 1; version <= 100; version++) {
      here.report(residency(1, version, Map.of(P1, version)));
    }

    await().until(() -> there.snapshot().residentTokens(List.of(P1)).equals(Map.of(NODE, 100L)));
    assertThat(stored().version()).isLessThan(50);
  }

  @Test
  void anOlderIncarnationDoesNotReplaceANewerOne() {
    PageTable restarted = table();
    PageTable former = table();
    PageTable there = table();
    restarted.report(residency(2, 1, Map.of(P1, 10)));
    await().until(() -> there.snapshot().resident(P1, NODE));
    former.report(residency(1, 99, Map.of(P2, 20)));
    former.report(new ReplicaResidency(new ReplicaId("last"), NODE, SERVER, 1, 1, Map.of(P2, 5)));

    await().until(() -> !there.snapshot().replicasWith(P2).isEmpty());
    assertThat(there.snapshot().replicasWith(P2)).containsExactly(new ReplicaId("last"));
    assertThat(stored().value().get("incarnation").asLong()).isEqualTo(2);
  }

  @Test
  void aWithdrawnReplicaIsGoneUntilItReportsAgain() {
    PageTable here = table();
    PageTable there = table();
    here.report(residency(1, 1, Map.of(P1, 10)));
    await().until(() -> there.snapshot().resident(P1, NODE));

    there.withdraw(REPLICA).toCompletableFuture().join();
    await().until(() -> here.snapshot().replicas().isEmpty());
    await().until(() -> there.snapshot().replicas().isEmpty());
    there.withdraw(new ReplicaId("unknown")).toCompletableFuture().join();

    here.report(residency(1, 2, Map.of(P1, 10)));
    await().until(() -> there.snapshot().resident(P1, NODE));
  }

  @Test
  void aReplicaIsOnlyWithdrawnInTheIncarnationThatIsMeant() {
    PageTable here = table();
    PageTable there = table();
    here.report(residency(2, 1, Map.of(P1, 10)));
    await().until(() -> there.snapshot().resident(P1, NODE));

    there.withdraw(REPLICA, 1).toCompletableFuture().join();
    assertThat(stored().value().get("incarnation").asLong()).isEqualTo(2);
    there.withdraw(REPLICA, 2).toCompletableFuture().join();
    await().until(() -> here.snapshot().replicas().isEmpty());
    there.withdraw(REPLICA, 2).toCompletableFuture().join();
  }

  /** The version that the former one wrote is the version of the restarted one's entry, too. */
  @Test
  void aFormerIncarnationDoesNotTakeARewrittenEntryForItsOwn() {
    PageTable former = table();
    former.report(residency(1, 1, Map.of(P1, 10)));
    await().until(() -> former.snapshot().resident(P1, NODE));
    PageTable restarted = table();
    restarted.withdraw(REPLICA).toCompletableFuture().join();
    restarted.report(residency(2, 1, Map.of(P2, 10)));
    await().until(() -> former.snapshot().resident(P2, NODE));
    former.report(residency(1, 2, Map.of(P1, 10)));
    former.report(new ReplicaResidency(new ReplicaId("last"), NODE, SERVER, 1, 1, Map.of(P1, 5)));
    await().until(() -> !former.snapshot().replicasWith(P1).isEmpty());
    former.report(residency(1, 3, Map.of(P1, 10)));
    former.report(new ReplicaResidency(new ReplicaId("last"), NODE, SERVER, 1, 2, Map.of(P2, 5)));
    await().until(() -> former.snapshot().replicasWith(P2).size() == 2);

    assertThat(stored().value().get("incarnation").asLong()).isEqualTo(2);
  }

  @Test
  void whatComesToTheFirstAndGoesFromTheLastReplicaIsTold() {
    PageTable here = table();
    PageTable there = table();
    List<ResidencyChange> told = new CopyOnWriteArrayList<>();
    there.onChange(told::add);
    ReplicaId other = new ReplicaId("r2");
    here.report(residency(1, 1, Map.of(P1, 10)));
    await().until(() -> told.size() == 1);
    here.report(new ReplicaResidency(other, NODE, SERVER, 1, 1, Map.of(P1, 10, P2, 10)));
    await().until(() -> told.size() == 2);
    here.withdraw(REPLICA).toCompletableFuture().join();
    await().until(() -> told.size() == 3);
    here.report(new ReplicaResidency(other, NODE, SERVER, 1, 2, Map.of(P2, 10)));
    await().until(() -> told.size() == 4);
    blackboards().open(BlackboardPageTable.SCOPE, "test").clear().toCompletableFuture().join();

    await().until(() -> told.size() == 5);
    assertThat(told)
        .containsExactly(
            new ResidencyChange(NODE, Set.of(P1), Set.of()),
            new ResidencyChange(NODE, Set.of(P2), Set.of()),
            new ResidencyChange(NODE, Set.of(), Set.of()),
            new ResidencyChange(NODE, Set.of(), Set.of(P1)),
            new ResidencyChange(NODE, Set.of(), Set.of(P2)));
  }

  @Test
  void aReplicaWithdrawnByItsNodeDoesNotComeBackByItself() {
    PageTable here = table();
    for (int version = 1; version <= 50; version++) {
      here.report(residency(1, version, Map.of(P1, version)));
    }
    here.withdraw(REPLICA).toCompletableFuture().join();
    here.report(new ReplicaResidency(new ReplicaId("last"), NODE, SERVER, 1, 1, Map.of(P2, 5)));

    await().until(() -> !here.snapshot().replicasWith(P2).isEmpty());
    assertThat(here.snapshot().replicas()).hasSize(1);
  }

  private static ObservedResidency observed(
      NodeAddress by, ReplicaId replica, long version, Map<PageId, Integer> pages) {
    return new ObservedResidency(by, replica, 1, version, pages);
  }

  @Test
  void aServerOfNoNodeHoldsWhatAnyNodeHasObservedThere() {
    ReplicaId server = new ReplicaId("large/v2@[::1]:8000");
    NodeAddress other = new NodeAddress("127.0.0.1:9");
    PageTable here = table();
    PageTable there = table();
    List<ResidencyChange> told = new CopyOnWriteArrayList<>();
    there.onChange(told::add);
    here.report(observed(NODE, server, 1, Map.of()));
    await().until(() -> there.snapshot().knows(server));
    here.report(observed(NODE, server, 2, Map.of(P1, 10)));
    await().until(() -> there.snapshot().pages(server).equals(Map.of(P1, 10)));
    there.report(observed(other, server, 1, Map.of(P1, 10, P2, 20)));
    await().until(() -> here.snapshot().pages(server).equals(Map.of(P1, 10, P2, 20)));
    here.report(observed(NODE, server, 3, Map.of()));
    there.report(observed(other, server, 2, Map.of(P1, 10)));
    await().until(() -> here.snapshot().pages(server).equals(Map.of(P1, 10)));

    PageTableSnapshot known = here.snapshot();
    assertThat(known.ids()).containsExactly(server);
    assertThat(known.replicas()).as("of nodes").isEmpty();
    assertThat(known.replicasWith(P1)).containsExactly(server);
    assertThat(known.entry(server, P1, Instant.EPOCH).state()).isEqualTo(PageState.RESIDENT);
    assertThat(known.entries(server, Instant.EPOCH))
        .extracting(PageEntry::tokens)
        .containsExactly(10);
    assertThat(known.residentTokens(List.of(P1))).as("it is near no node").isEmpty();
    assertThat(known.resident(P1, NODE)).isFalse();
    there.forget(other, server).toCompletableFuture().join();
    await().until(() -> here.snapshot().pages(server).isEmpty());
    here.forget(NODE, server).toCompletableFuture().join();
    await().until(() -> !here.snapshot().knows(server));
    await().until(() -> told.stream().anyMatch(change -> change.gone().contains(P1)));
    assertThat(told)
        .as("a page comes with the first that knows of it and goes with the last")
        .containsSubsequence(
            new ResidencyChange(NODE, Set.of(P1), Set.of()),
            new ResidencyChange(other, Set.of(P2), Set.of()),
            new ResidencyChange(other, Set.of(), Set.of(P2)));
    // Two nodes withdraw the page by reports of their own, which may arrive in either order.
    assertThat(told.stream().filter(change -> change.gone().contains(P1))).hasSize(1);
    assertThat(told.getLast().gone()).containsExactly(P1);
  }

  @Test
  void whatIsObservedOfANodesReplicaIsThereBesideWhatTheNodeReports() {
    PageTable here = table();
    here.report(observed(new NodeAddress("127.0.0.1:9"), REPLICA, 1, Map.of(P2, 20)));
    here.report(residency(1, 1, Map.of(P1, 10)));
    await().until(() -> here.snapshot().pages(REPLICA).equals(Map.of(P1, 10, P2, 20)));
    assertThat(here.snapshot().residentTokens(List.of(P1, P2))).isEqualTo(Map.of(NODE, 30L));
    here.withdraw(REPLICA).toCompletableFuture().join();
    await().until(() -> here.snapshot().replicas().isEmpty());
    assertThat(here.snapshot().pages(REPLICA)).isEqualTo(Map.of(P2, 20));
  }

  @Test
  void whatANodeThatIsGoneHasObservedIsForgotten() {
    PageTable here = table();
    PageTable there = table();
    ReplicaId server = new ReplicaId("10.0.0.1:8000");
    here.report(observed(NODE, server, 1, Map.of(P1, 10)));
    await().until(() -> there.snapshot().knows(server));
    here.close();
    await().until(() -> !there.snapshot().knows(server));
  }

  @Test
  void aReplicaThatHoldsNothingIsKnownByWhereItAnswers() {
    PageTable there = table();
    table().report(residency(1, 1, Map.of()));

    await().until(() -> there.snapshot().replica(REPLICA).isPresent());
    assertThat(there.snapshot().replica(REPLICA).orElseThrow().baseUri()).isEqualTo(SERVER);
    assertThat(there.snapshot().replica(new ReplicaId("unknown"))).isEmpty();
  }

  @Test
  void anEntryThatCannotBeReadIsReplaced() {
    blackboards()
        .open(BlackboardPageTable.SCOPE, "other")
        .write(Write.of(TableEntries.of(REPLICA), JsonNodeFactory.instance.textNode("garbage")))
        .toCompletableFuture()
        .join();
    PageTable here = table();
    assertThat(here.snapshot().replicas()).isEmpty();
    here.report(residency(1, 1, Map.of(P1, 10)));

    await().until(() -> here.snapshot().resident(P1, NODE));
  }

  @Test
  void moreThanAReplicaMayHoldIsRefused() {
    Map<PageId, Integer> pages = new TreeMap<>();
    IntStream.range(0, 4).forEach(i -> pages.put(Fixtures.page(i), 1));

    assertThatThrownBy(() -> table().report(residency(1, 1, pages)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the most are 3");
  }

  @Test
  void aGroupKeepsTheUnitItWasGiven() {
    PageTable here = table();
    List<PageGroup> groups = groups(20);
    SortedMap<PageGroupId, Integer> first = here.assign(groups, allTo(3));

    assertThat(first).hasSize(20).containsValue(3);
    assertThat(here.snapshot().groups(3)).hasSize(20);
    assertThat(table().assign(groups, allTo(5))).isEqualTo(first);
    PageTable there = table();
    await().until(() -> there.snapshot().groups(3).size() == 20);
    assertThat(there.snapshot().unit(groups.getFirst().id())).hasValue(3);
    assertThat(there.snapshot().sizeTokens(3)).isEqualTo(20 * 100);
  }

  @Test
  void assignersAtTheSameTimeAgree() {
    List<PageGroup> groups = groups(60);
    List<CompletableFuture<SortedMap<PageGroupId, Integer>>> answers = new ArrayList<>();
    List<BlackboardPageTable> tables = List.of(table(), table(), table());
    for (int i = 0; i < tables.size(); i++) {
      int unit = i;
      answers.add(
          CompletableFuture.supplyAsync(
              () -> tables.get(unit).assign(groups, allTo(unit)), Thread::startVirtualThread));
    }

    SortedMap<PageGroupId, Integer> agreed = answers.getFirst().join();
    assertThat(agreed).hasSize(60);
    assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(agreed));
    for (BlackboardPageTable table : tables) {
      await()
          .untilAsserted(() ->
              agreed.forEach(
                  (group, unit) -> assertThat(table.snapshot().unit(group)).hasValue(unit)));
    }
  }

  @Test
  void aChoiceThatLeavesAGroupOutIsABrokenInvariant() {
    assertThatThrownBy(() -> table().assign(groups(2), (groups, table) -> new TreeMap<>()))
        .isInstanceOf(IllegalStateException.class);
  }

  private Entry stored() {
    return stored(TableEntries.of(REPLICA)).orElseThrow();
  }

  static UnitChoice allTo(int unit) {
    return (Collection<PageGroup> groups, PageTableSnapshot table) -> {
      SortedMap<PageGroupId, Integer> chosen = new TreeMap<>();
      groups.forEach(group -> chosen.put(group.id(), unit));
      return chosen;
    };
  }

  static List<PageGroup> groups(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i -> new PageGroup(Fixtures.group(i), "dir", List.of(Fixtures.page(1000 + i)), 100))
        .toList();
  }
}
