package dev.colony.vcm.graph;

import dev.colony.vcm.PageId;
import dev.colony.vcm.settings.PrefetchSettings;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which pages are worth loading before anything is asked about them: those that pages which have
 * just answered lead to. As in prefetching along the edges of a learned access graph (Griffioen and
 * Appleton, 1994), a page follows with the likelihood of the heaviest path to it. Pure.
 */
public final class Prefetch {

  /** Pages that a walk visits for each that may be loaded: many are cached already. */
  private static final int VISITED = 8;

  private Prefetch() {}

  /**
   * The pages that follow, the likeliest first; none where nothing follows that is likely enough.
   *
   * @param read pages that have just been read, none of which is among the result; unknown ones are
   *     left out
   * @param cached whether some cache holds a page already: it is followed from, and not loaded
   */
  public static List<PageId> following(
      PageGraph graph,
      Collection<PageId> read,
      Predicate<PageId> cached,
      PrefetchSettings settings,
      Instant now) {
    if (settings.pages() == 0 || read.isEmpty()) {
      return List.of();
    }
    Set<PageId> known = new HashSet<>(read);
    Traversal.Bounds bounds =
        new Traversal.Bounds(
            settings.depth(), VISITED * settings.pages() + read.size(), settings.likelihood(), 1);
    return Traversal.walk(graph, read, Traversal.Strategy.BEST_FIRST, bounds, page -> true, now)
        .stream()
        .map(Traversal.Visit::page)
        .filter(page -> !known.contains(page) && !cached.test(page))
        .limit(settings.pages())
        .toList();
  }
}
