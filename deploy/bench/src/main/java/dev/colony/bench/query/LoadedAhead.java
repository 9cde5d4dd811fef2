package dev.colony.bench.query;

import dev.colony.vcm.PageId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a cache of pages holds of what questions read, where pages are loaded after each question
 * that may be read next. The cache evicts what was used longest ago; a page is read or loaded
 * behind one preamble, by itself. Not thread-safe.
 */
final class LoadedAhead {

  /** Conversations that go on at the same time, each a question in turn. */
  private static final int AT_ONCE = 8;

  /**
   * A question of a conversation.
   *
   * @param read pages that it reads
   * @param found those of them that answered
   */
  record Turn(List<PageId> read, List<PageId> found) {}

  /** Which pages are loaded after a question. */
  @FunctionalInterface
  interface Choice {

    /**
     * @param cached whether a page is there already
     */
    List<PageId> after(Turn turn, Predicate<PageId> cached);
  }

  /**
   * What came of it.
   *
   * @param hits share of the tokens read that were cached
   * @param loaded pages ahead
   * @param used of these, before they were evicted
   */
  record Figures(double hits, int loaded, int used) {}

  private final Map<PageId, Integer> sizes;
  private final long capacity;
  private final boolean roomOnly;
  private final LinkedHashMap<PageId, Boolean> cache = new LinkedHashMap<>(16, 0.75f, true);
  private final Set<PageId> ahead = new HashSet<>();
  private long held;
  private int loaded;
  private int used;

  private LoadedAhead(Map<PageId, Integer> sizes, long capacity, boolean roomOnly) {
    this.sizes = sizes;
    this.capacity = capacity;
    this.roomOnly = roomOnly;
  }

  /**
   * Plays conversations.
   *
   * @param sizes tokens of each page
   * @param capacity tokens that the cache holds
   * @param roomOnly whether pages are loaded only where they push nothing out
   */
  static Figures of(
      Collection<List<Turn>> conversations,
      Map<PageId, Integer> sizes,
      long capacity,
      boolean roomOnly,
      Choice choice) {
    return new LoadedAhead(sizes, capacity, roomOnly).play(conversations, choice);
  }

  private Figures play(Collection<List<Turn>> conversations, Choice choice) {
    Deque<List<Turn>> begin = new ArrayDeque<>(conversations);
    Deque<Deque<Turn>> open = new ArrayDeque<>();
    long hit = 0;
    long all = 0;
    while (!begin.isEmpty() || !open.isEmpty()) {
      while (open.size() < AT_ONCE && !begin.isEmpty()) {
        open.add(new ArrayDeque<>(begin.remove()));
      }
      Deque<Turn> next = open.remove();
      Turn turn = next.remove();
      if (!next.isEmpty()) {
        open.add(next);
      }
      for (PageId page : turn.read()) {
        all += sizes.get(page);
        hit += read(page) ? sizes.get(page) : 0;
      }
      load(choice.after(turn, cache::containsKey));
    }
    return new Figures((double) hit / Math.max(1, all), loaded, used);
  }

  private boolean read(PageId page) {
    boolean there = cache.get(page) != null;
    if (there) {
      used += ahead.remove(page) ? 1 : 0;
    } else {
      put(page);
    }
    return there;
  }

  private void load(List<PageId> pages) {
    for (PageId page : new LinkedHashSet<>(pages)) {
      if (cache.containsKey(page) || roomOnly && held + sizes.get(page) > capacity) {
        continue;
      }
      put(page);
      ahead.add(page);
      loaded++;
    }
  }

  private void put(PageId page) {
    cache.put(page, true);
    held += sizes.get(page);
    List<PageId> gone = new ArrayList<>();
    for (Iterator<PageId> oldest = cache.keySet().iterator();
        held > capacity && oldest.hasNext(); ) {
      PageId victim = oldest.next();
      held -= sizes.get(victim);
      gone.add(victim);
    }
    gone.forEach(cache::remove);
    ahead.removeAll(gone);
  }
}
