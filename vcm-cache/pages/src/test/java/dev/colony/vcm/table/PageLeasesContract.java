package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageTableSnapshot.PendingFault;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What locks, requests and uses of pages do in a page table, over any backend. */
abstract class PageLeasesContract {

  static final TableSettings SETTINGS = Fixtures.tableSettings();
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final ReplicaId REPLICA = new ReplicaId("r1");
  static final NodeAddress NODE = new NodeAddress("127.0.0.1:7000");
  static final URI SERVER = URI.create("http://127.0.0.1:8000/v1");
  static final PageId P1 = Fixtures.page(1);
  static final PageId P2 = Fixtures.page(2);

  private final List<BlackboardPageTable> open = new ArrayList<>();

  abstract Blackboards blackboards();

  @AfterEach
  void closeTables() {
    open.forEach(BlackboardPageTable::close);
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
    assertThat(stored(TableEntries.holder("a/b/c"))).isEmpty();

    granted(here.leases().lock("dead", List.of(P1), Duration.ofMillis(200)));
    await().until(() -> locks(there).isEmpty() && stored(TableEntries.holder("dead")).isEmpty());
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

  Optional<Entry> stored(String key) {
    Blackboard board = blackboards().open(BlackboardPageTable.SCOPE, "test");
    return board.read(key).toCompletableFuture().join();
  }

  static ReplicaResidency residency(long incarnation, long version, Map<PageId, Integer> pages) {
    return new ReplicaResidency(REPLICA, NODE, SERVER, incarnation, version, pages);
  }
}
