package dev.colony.server.http;

import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageTableSnapshot.PendingFault;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Pages, where they stand, and how they lead to each other, as API and command line show them. */
public final class PageViews {

  private PageViews() {}

  /**
   * Pages in caches.
   *
   * @param all how many there are that fit what was asked for
   */
  public record PageTableView(long all, List<PageEntryView> entries) {}

  /**
   * A page in a replica.
   *
   * @param tokens of it there; 0 while it is loading
   * @param readers calls under way that read it there
   * @param lastUse when such a call last began or ended, where one is known
   * @param lockedUntil when the last lock of it ends, where there is one
   */
  public record PageEntryView(
      String page,
      String replica,
      PageState state,
      int tokens,
      int readers,
      Optional<Instant> lastUse,
      Optional<Instant> lockedUntil) {

    public static PageEntryView of(PageEntry entry) {
      return new PageEntryView(
          entry.page().value(),
          entry.replica().value(),
          entry.state(),
          entry.tokens(),
          entry.readers(),
          entry.lastUse(),
          entry.lockedUntil());
    }
  }

  public record PageLocksView(List<PageLockView> locks) {

    public static PageLocksView of(List<PageLock> locks) {
      return new PageLocksView(locks.stream().map(PageLockView::of).toList());
    }
  }

  public record PageLockView(String page, String holder, Instant until) {

    static PageLockView of(PageLock lock) {
      return new PageLockView(lock.page().value(), lock.holder(), lock.until());
    }
  }

  /** Pages that are asked for and in no cache, in the order in which they are to be loaded. */
  public record PageFaultsView(List<PageFaultView> faults) {

    public static PageFaultsView of(List<PendingFault> faults) {
      return new PageFaultsView(faults.stream().map(PageFaultView::of).toList());
    }
  }

  /**
   * Such a page.
   *
   * @param priority the highest of those that ask
   * @param since when the first of them asked
   * @param waiters who asks
   */
  public record PageFaultView(String page, int priority, Instant since, List<String> waiters) {

    static PageFaultView of(PendingFault fault) {
      return new PageFaultView(
          fault.page().value(), fault.priority(), fault.since(), List.copyOf(fault.waiters()));
    }
  }

  /**
   * Pages of a map in the reading order.
   *
   * @param all how many it has
   */
  public record MapPagesView(String map, String source, int all, List<MapPageView> pages) {}

  /**
   * A page of a map.
   *
   * @param lines which lines of which files, as in {@code src/Main.java:1-40}
   */
  public record MapPageView(String page, int sizeTokens, List<String> lines) {

    public static MapPageView of(VirtualContextPage page) {
      return new MapPageView(
          page.id().value(),
          page.sizeTokens(),
          page.segments().stream()
              .map(part -> "%s:%d-%d".formatted(part.file(), part.firstLine(), part.lastLine()))
              .toList());
    }
  }

  public record PageGraphView(List<PageEdgeView> edges) {

    public static PageGraphView of(List<PageGraph.WeightedEdge> edges) {
      return new PageGraphView(
          edges.stream()
              .map(edge -> new PageEdgeView(edge.from().value(), edge.to().value(), edge.weight()))
              .toList());
    }
  }

  /**
   * An edge.
   *
   * @param weight how likely the one page answers what the other asks, 0 to 1
   */
  public record PageEdgeView(String from, String to, double weight) {}
}
