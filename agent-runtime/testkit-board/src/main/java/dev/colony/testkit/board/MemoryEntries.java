package dev.colony.testkit.board;

import dev.colony.blackboard.Query;
import dev.colony.blackboard.protocol.EntryKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The entries of one scope, in the order of their keys, with an index of tags and one of expiry.
 * Not thread-safe.
 */
final class MemoryEntries {

  private static final Comparator<MemoryEntry> BY_EXPIRY =
      Comparator.<MemoryEntry, Instant>comparing(entry -> entry.expiresAt().orElse(Instant.MAX))
          .thenComparing(MemoryEntry::key);

  /**
   * @param last the key of the last one, where there are more
   */
  record Page(List<MemoryEntry> entries, Optional<String> last) {}

  private final NavigableMap<String, MemoryEntry> byKey = new TreeMap<>(EntryKey.ORDER);
  private final Map<String, NavigableSet<String>> byTag = new HashMap<>();
  private final NavigableSet<MemoryEntry> expiring = new TreeSet<>(BY_EXPIRY);

  Optional<MemoryEntry> get(String key) {
    return Optional.ofNullable(byKey.get(key));
  }

  int size() {
    return byKey.size();
  }

  void put(MemoryEntry entry) {
    remove(entry.key());
    byKey.put(entry.key(), entry);
    entry
        .tags()
        .forEach(tag ->
            byTag.computeIfAbsent(tag, any -> new TreeSet<>(EntryKey.ORDER)).add(entry.key()));
    if (entry.expiresAt().isPresent()) {
      expiring.add(entry);
    }
  }

  void remove(String key) {
    MemoryEntry entry = byKey.remove(key);
    if (entry != null) {
      expiring.remove(entry);
      entry.tags().forEach(tag -> untag(tag, key));
    }
  }

  private void untag(String tag, String key) {
    NavigableSet<String> keys = byTag.get(tag);
    keys.remove(key);
    if (keys.isEmpty()) {
      byTag.remove(tag);
    }
  }

  void clear() {
    byKey.clear();
    byTag.clear();
    expiring.clear();
  }

  /** The one whose time to live is over first of all, {@link Instant#MAX} if there is none. */
  Instant nextExpiry() {
    return expiring.isEmpty() ? Instant.MAX : expiring.first().expiresAt().orElseThrow();
  }

  /** The entry that expires first. */
  MemoryEntry nextExpiring() {
    return expiring.first();
  }

  Page query(Query query) {
    String prefix = query.keys().prefix();
    Optional<String> after =
        query
            .cursor()
            .map(Query.Cursor::afterKey)
            .filter(key -> EntryKey.ORDER.compare(key, prefix) >= 0);
    List<MemoryEntry> found = new ArrayList<>();
    for (String key : candidates(query).tailSet(after.orElse(prefix), after.isEmpty())) {
      if (!key.startsWith(prefix)) {
        break;
      }
      MemoryEntry entry = byKey.get(key);
      if (matches(query, entry)) {
        if (found.size() == query.limit()) {
          return new Page(found, Optional.of(found.getLast().key()));
        }
        found.add(entry);
      }
    }
    return new Page(found, Optional.empty());
  }

  /** The keys with the rarest of the tags that an entry must carry, or all keys. */
  private NavigableSet<String> candidates(Query query) {
    return query.allTags().stream()
        .map(tag -> byTag.getOrDefault(tag, new TreeSet<>()))
        .min(Comparator.comparingInt(NavigableSet::size))
        .orElseGet(byKey::navigableKeySet);
  }

  private static boolean matches(Query query, MemoryEntry entry) {
    return query.keys().matches(entry.key())
        && entry.tags().containsAll(query.allTags())
        && (query.anyTags().isEmpty() || query.anyTags().stream().anyMatch(entry.tags()::contains))
        && query.noTags().stream().noneMatch(entry.tags()::contains)
        && query.updatedSince().map(since -> !entry.updatedAt().isBefore(since)).orElse(true);
  }
}
