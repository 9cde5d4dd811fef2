package dev.colony.server.node;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.routing.Replica;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.PageUseTracker;
import dev.colony.vcm.table.ReplicaId;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Enters into the page table which pages the calls of this node's gateway read, and where. Calls to
 * servers that the table does not know are passed over. Thread-safe.
 */
final class PageUseReporter implements CallObserver {

  private final PageUseTracker tracker;
  private final PageTable table;
  private final InstantSource clock;

  PageUseReporter(PageUseTracker tracker, PageTable table, InstantSource clock) {
    this.tracker = tracker;
    this.table = table;
    this.clock = clock;
  }

  @Override
  public void answered(
      Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {}

  @Override
  public void sent(Replica replica, InferenceRequest request) {
    List<PageId> pages = pages(request);
    if (!pages.isEmpty()) {
      PageTableSnapshot known = table.snapshot();
      known(known, replica)
          .ifPresent(id -> {
            tracker.began(
                id, pages, page -> known.replicasWith(page).contains(id), clock.instant());
            table.report(tracker.report());
          });
    }
  }

  @Override
  public void ended(Replica replica, InferenceRequest request) {
    List<PageId> pages = pages(request);
    if (!pages.isEmpty()) {
      known(table.snapshot(), replica)
          .ifPresent(id -> {
            tracker.ended(id, pages, clock.instant());
            table.report(tracker.report());
          });
    }
  }

  @Override
  public void gaveUp(Replica replica, Set<String> pages) {
    PageTableSnapshot known = table.snapshot();
    known(known, replica)
        .ifPresent(id -> {
          List<PageId> there =
              pages.stream()
                  .map(PageId::new)
                  .filter(page -> known.replicasWith(page).contains(id))
                  .toList();
          if (!there.isEmpty()) {
            tracker.evicting(id, there, clock.instant());
            table.report(tracker.report());
          }
        });
  }

  private static List<PageId> pages(InferenceRequest request) {
    return request.prompt().pages().stream()
        .map(PromptPage::id)
        .distinct()
        .map(PageId::new)
        .toList();
  }

  private static Optional<ReplicaId> known(PageTableSnapshot table, Replica replica) {
    return ReplicaId.of(replica.id()).filter(table::knows);
  }
}
