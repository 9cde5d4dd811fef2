package dev.colony.replica;

import dev.colony.replica.ResidentPages.PageResidency.ResidentPage;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pages in the cache. Every change raises the version and wakes the followers. Thread-safe. */
final class ResidentPages {

  /** The resident pages at one version. */
  record Residency(long version, Map<String, Integer> pages) {}

  private static final Logger LOG = LoggerFactory.getLogger(ResidentPages.class);

  /** Pages that are tracked. Beyond it the first loaded is forgotten. */
  private static final int MOST_PAGES = 65_536;

  private PageResidency residency = new PageResidency(MOST_PAGES);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long version;

  /** Notes a page whose last full block is {@code end} and is cached. */
  void loaded(ResidentPage page, long end) {
    lock.lock();
    try {
      publishIf(residency.loaded(page, end));
    } finally {
      lock.unlock();
    }
  }

  void evicted(List<Long> blocks) {
    lock.lock();
    try {
      publishIf(residency.evicted(blocks));
    } finally {
      lock.unlock();
    }
  }

  void clear() {
    lock.lock();
    try {
      publishIf(!residency.pages.isEmpty());
      residency = new PageResidency(MOST_PAGES);
    } finally {
      lock.unlock();
    }
  }

  /** The resident pages of this moment. */
  Residency now() {
    lock.lock();
    try {
      return new Residency(version, residency.pages());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Tells a listener of the resident pages, at once and after every change, until the thread is
   * interrupted.
   *
   * @param coalesce changes within this time are told together
   */
  void follow(Consumer<Map<String, Integer>> listener, Duration coalesce) {
    try {
      while (true) {
        Residency told = now();
        try {
          listener.accept(told.pages());
        } catch (RuntimeException failure) {
          LOG.error("who follows the resident pages failed", failure);
        }
        awaitOtherThan(told.version());
        TimeUnit.NANOSECONDS.sleep(coalesce.toNanos());
      }
    } catch (InterruptedException closed) {
      LOG.debug("the resident pages are followed no more");
    }
  }

  private void awaitOtherThan(long known) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (version == known) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void publishIf(boolean different) {
    if (different) {
      version++;
      changed.signalAll();
    }
  }

  /**
   * Which pages a prefix cache holds. A page that stood in a prompt is resident while the last full
   * block up to its end is cached, since that block's presence implies its whole prefix. A page may
   * be resident behind several prefixes; it is gone when the last of them is.
   *
   * <p>Bounded by {@code maxPages}: beyond it the page that was loaded first is forgotten, which
   * costs a routing decision, never an answer. Not thread-safe.
   */
  static final class PageResidency {

    /** A page in the cache, by the size of the message that carried it. */
    record ResidentPage(String id, int tokens) {}

    private record Entry(int tokens, Set<Long> ends) {}

    private final int maxPages;
    private final LinkedHashMap<String, Entry> pages = new LinkedHashMap<>();
    private final Map<Long, Set<String>> byEnd = new HashMap<>();

    PageResidency(int maxPages) {
      this.maxPages = maxPages;
    }

    /**
     * Notes that a prompt carried the page.
     *
     * @param end hash of the last full block at or before the page's end
     * @return whether the set of resident pages changed
     */
    boolean loaded(ResidentPage page, long end) {
      Entry entry = pages.get(page.id());
      boolean added = entry == null;
      if (added) {
        entry = new Entry(page.tokens(), new HashSet<>());
        pages.put(page.id(), entry);
      }
      entry.ends().add(end);
      byEnd.computeIfAbsent(end, e -> new HashSet<>()).add(page.id());
      if (pages.size() > maxPages) {
        forget(pages.firstEntry().getKey());
      }
      return added;
    }

    /** Takes evicted blocks into account. Returns whether the set of resident pages changed. */
    boolean evicted(Collection<Long> blocks) {
      boolean changed = false;
      for (long block : blocks) {
        Set<String> ids = byEnd.remove(block);
        if (ids == null) {
          continue;
        }
        for (String id : ids) {
          Entry entry = pages.get(id);
          entry.ends().remove(block);
          if (entry.ends().isEmpty()) {
            pages.remove(id);
            changed = true;
          }
        }
      }
      return changed;
    }

    /** Tokens of all resident pages, in the order in which they were first loaded. */
    Map<String, Integer> pages() {
      Map<String, Integer> tokens = new LinkedHashMap<>();
      pages.forEach((id, entry) -> tokens.put(id, entry.tokens()));
      return tokens;
    }

    private void forget(String id) {
      for (long end : pages.remove(id).ends()) {
        Set<String> ids = byEnd.get(end);
        ids.remove(id);
        if (ids.isEmpty()) {
          byEnd.remove(end);
        }
      }
    }
  }
}
