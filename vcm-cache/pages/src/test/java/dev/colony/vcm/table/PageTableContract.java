package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTable.UnitChoice;
import dev.colony.vcm.table.PageTableSnapshot.PendingFault;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a page table does, over any backend. */
abstract class PageTableContract {

  private static final TableSettings SETTINGS = Fixtures.tableSettings();
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final ReplicaId REPLICA = new ReplicaId("r1");
  static final NodeAddress NODE = new NodeAddress("127.0.0.1:7000");
  private static final URI SERVER = URI.create("http://127.0.0.1:8000/v1");
  static final PageId P1 = Fixtures.page(1);
  private static final PageId P2 = Fixtures.page(2);

  private final List<BlackboardPageTable> open = new ArrayList<>();

  abstract Blackboards blackboards();

  @AfterEach
  void closeTables() {
    open.forEach(BlackboardPageTable::close);
  }

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
        .write(Write.of(TableKeys.of(REPLICA), JsonNodeFactory.instance.textNode("garbage")))
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

  @Test
  void aLockIsSeenByAllNodesUntilItEndsOrIsTakenBack() {
    BlackboardPageTable here = table();
    BlackboardPageTable there = table();
    granted(here.leases().lock("a/b/c", List.of(P1, P2), Duration.ofMinutes(1)));
    assertThat(locks(here)).as("at once where it was granted").hasSize(2);
    await().until(() -> locks(there).size() == 2);
    assertThat(locks(table())).hasSize(2);

    assertThat(refused(there.leases().extend("a/b/c", List.of(P1, Fixtures.page(9)), MINUTE)))
        .contains("has no lock of page " + Fixtures.page(9));
    granted(there.leases().extend("a/b/c", List.of(P1), Duration.ofMinutes(2)));
    there.leases().unlock("a/b/c", List.of(P2));
    assertThat(locks(there)).extracting(PageLock::page).containsExactly(P1);
    await().until(() -> locks(here).size() == 1);
    assertThat(there.leases().of("a/b/c").locks()).containsOnlyKeys(P1);
    there.leases().end("a/b/c");
    await().until(() -> locks(here).isEmpty());
    assertThat(stored(TableKeys.holder("a/b/c"))).isEmpty();

    granted(here.leases().lock("dead", List.of(P1), Duration.ofMillis(200)));
    await().until(() -> locks(there).isEmpty() && stored(TableKeys.holder("dead")).isEmpty());
  }

  @Test
  void whatManyLockAndAskForAtTheSameTimeAddsUp() {
    BlackboardPageTable here = table();
    BlackboardPageTable there = table();
    List<CompletableFuture<HolderLeases.Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      PageLeases leases = (i % 2 == 0 ? here : there).leases();
      PageId page = Fixtures.page(i);
      outcomes.add(
          CompletableFuture.supplyAsync(
              () -> leases.lock("h", List.of(page), MINUTE), Thread::startVirtualThread));
    }
    outcomes.forEach(outcome -> granted(outcome.join()));
    await().until(() -> locks(here).size() == 8 && locks(there).size() == 8);
  }

  @Test
  void whatIsAskedForAndInNoCacheIsAFaultUntilItIsThere() {
    BlackboardPageTable here = table();
    BlackboardPageTable there = table();
    granted(here.leases().request("a", List.of(P1), 3, MINUTE));
    granted(there.leases().request("b", List.of(P1, P2), 5, MINUTE));
    await().until(() -> faults(here).size() == 2 && faults(there).size() == 2);
    assertThat(faults(here)).extracting(PendingFault::page).containsExactly(P1, P2);
    assertThat(faults(here).getFirst().priority()).isEqualTo(5);
    assertThat(faults(here).getFirst().waiters()).containsExactly("a", "b");

    here.report(residency(1, 1, Map.of(P1, 10)));
    await().until(() -> faults(there).size() == 1);
    there.leases().cancel("b", List.of(P2));
    assertThat(faults(there)).isEmpty();
    here.withdraw(REPLICA).toCompletableFuture().join();
    await().until(() -> faults(here).size() == 1);
  }

  @Test
  void whatNodesReadIsSeenByAll() {
    BlackboardPageTable here = table();
    BlackboardPageTable there = table();
    PageUseTracker tracker = new PageUseTracker(NODE, 1, 10);
    Instant now = Instant.ofEpochMilli(blackboards().clock().instant().toEpochMilli());
    tracker.began(REPLICA, List.of(P1), page -> false, now);
    here.report(tracker.report());
    await().until(() -> there.snapshot().entry(REPLICA, P1, now).state() == PageState.LOADING);
    here.report(residency(1, 1, Map.of(P1, 10)));
    tracker.ended(REPLICA, List.of(P1), now.plusSeconds(1));
    here.report(tracker.report());
    await()
        .untilAsserted(() ->
            assertThat(there.snapshot().entry(REPLICA, P1, now))
                .isEqualTo(
                    new PageEntry(
                        P1,
                        REPLICA,
                        PageState.RESIDENT,
                        10,
                        0,
                        Optional.of(now.plusSeconds(1)),
                        Optional.empty())));
  }

  @Test
  void usesOfANodeThatHasDiedAreForgotten() {
    BlackboardPageTable there = table();
    BlackboardPageTable dies = table();
    PageUseTracker tracker = new PageUseTracker(NODE, 1, 10);
    Instant now = blackboards().clock().instant();
    tracker.began(REPLICA, List.of(P1), page -> true, now);
    dies.report(tracker.report());
    await().until(() -> there.snapshot().entry(REPLICA, P1, now).readers() == 1);
    dies.close();
    await().until(() -> there.snapshot().entry(REPLICA, P1, now).readers() == 0);
  }

  private List<PageLock> locks(PageTable table) {
    return table.snapshot().locks(blackboards().clock().instant());
  }

  private List<PendingFault> faults(PageTable table) {
    return table.snapshot().faults(blackboards().clock().instant());
  }

  static void granted(HolderLeases.Outcome outcome) {
    assertThat(outcome).isInstanceOf(HolderLeases.Outcome.Granted.class);
  }

  private static String refused(HolderLeases.Outcome outcome) {
    return ((HolderLeases.Outcome.Refused) outcome).reason();
  }

  BlackboardPageTable table() {
    BlackboardPageTable table = new BlackboardPageTable(blackboards(), "test", SETTINGS);
    open.add(table);
    table.loaded().toCompletableFuture().join();
    return table;
  }

  private Entry stored() {
    return stored(TableKeys.of(REPLICA)).orElseThrow();
  }

  Optional<Entry> stored(String key) {
    Blackboard board = blackboards().open(BlackboardPageTable.SCOPE, "test");
    return board.read(key).toCompletableFuture().join();
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

  static ReplicaResidency residency(long incarnation, long version, Map<PageId, Integer> pages) {
    return new ReplicaResidency(REPLICA, NODE, SERVER, incarnation, version, pages);
  }
}
