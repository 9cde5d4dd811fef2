package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageLeases.PageRequest;
import dev.colony.vcm.table.PageTableSnapshot.PendingFault;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a watcher of a page table is told. */
class TableChangeTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final ReplicaId REPLICA = new ReplicaId("r");
  private static final PageId P = Fixtures.page(1);
  private static final PageId Q = Fixtures.page(2);

  private static PageTableSnapshot table(Map<PageId, Integer> pages, HolderLeases... leases) {
    return new PageTableSnapshot(
            List.of(
                new ReplicaResidency(
                    REPLICA,
                    new NodeAddress("127.0.0.1:1"),
                    URI.create("http://127.0.0.1:1/v1"),
                    1,
                    1,
                    pages)),
            List.of())
        .with(List.of(), List.of(leases));
  }

  private static HolderLeases holding(Map<PageId, Instant> locks, PageRequest... requests) {
    TreeMap<PageId, PageRequest> asked = new TreeMap<>();
    List.of(requests).forEach(request -> asked.put(request.page(), request));
    return new HolderLeases("h", NOW, new TreeMap<>(locks), asked);
  }

  @Test
  void residencyLocksAndFaultsAreTold() {
    PageRequest request = new PageRequest(Q, "h", 3, NOW, NOW.plusSeconds(60));
    PageLock lock = new PageLock(P, "h", NOW.plusSeconds(10));
    PageTableSnapshot before = table(Map.of(P, 10), holding(Map.of(), request));
    PageTableSnapshot after = table(Map.of(Q, 10), holding(Map.of(P, lock.until()), request));
    assertThat(TableChange.between(before, NOW, after, NOW))
        .containsExactly(
            new TableChange.Moved(P, REPLICA, PageState.RESIDENT, PageState.ABSENT),
            new TableChange.Moved(Q, REPLICA, PageState.ABSENT, PageState.RESIDENT),
            new TableChange.Locked(lock),
            new TableChange.FaultEnded(PendingFault.of(request)));
    assertThat(TableChange.between(after, NOW, after, NOW)).isEmpty();
  }

  @Test
  void whatEndsByItselfIsToldThoughNothingWasWritten() {
    PageLock lock = new PageLock(P, "h", NOW.plusSeconds(10));
    PageRequest request = new PageRequest(Q, "h", 3, NOW, NOW.plusSeconds(10));
    PageTableSnapshot table = table(Map.of(P, 10), holding(Map.of(P, lock.until()), request));
    assertThat(TableChange.between(table, NOW, table, NOW.plusSeconds(10)))
        .containsExactly(
            new TableChange.Unlocked(lock), new TableChange.FaultEnded(PendingFault.of(request)));
    PageTableSnapshot extended = table(Map.of(P, 10), holding(Map.of(P, NOW.plusSeconds(20))));
    assertThat(TableChange.between(table, NOW, extended, NOW))
        .as("an extension is no end")
        .containsExactly(
            new TableChange.Locked(new PageLock(P, "h", NOW.plusSeconds(20))),
            new TableChange.FaultEnded(PendingFault.of(request)));
  }
}
