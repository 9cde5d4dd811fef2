package dev.colony.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which pages a prefix cache holds. A page that stood in a prompt is resident while the last full
 * block up to its end is cached, since that block's presence implies its whole prefix. A page may
 * be resident behind several prefixes; it is gone when the last of them is.
 *
 * <p>Bounded by {@code maxPages}: beyond it the page that was loaded first is forgotten, which
 * costs a routing decision, never an answer. Not thread-safe.
 */
final class PageResidency {

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

  /** All resident pages, in the order in which they were first loaded. */
  List<ResidentPage> pages() {
    List<ResidentPage> list = new ArrayList<>(pages.size());
    pages.forEach((id, entry) -> list.add(new ResidentPage(id, entry.tokens())));
    return list;
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
