package dev.colony.blackboard;

import dev.colony.blackboard.protocol.EntryKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What a scope holds and which events it has stored, worked out the slow way. */
public final class BoardModel {

  record Cell(String value, long version, Set<String> tags, Optional<Instant> expiresAt) {}

  private final Optional<Eviction> eviction;
  private final NavigableMap<String, Cell> cells = new TreeMap<>(EntryKey.ORDER);
  private final List<String> events = new ArrayList<>();

  /** The keys that are there; the one used last, or written last, is the last. */
  private final List<String> byUse = new ArrayList<>();

  private final List<String> byWrite = new ArrayList<>();
  private final Map<String, Integer> uses = new HashMap<>();

  public BoardModel(Optional<Eviction> eviction) {
    this.eviction = eviction;
  }

  /** The entries in the order of their keys, in short. */
  public List<String> entries() {
    return cells.entrySet().stream()
        .map(each ->
            brief(
                each.getKey(),
                each.getValue().version(),
                each.getValue().value(),
                each.getValue().tags()))
        .toList();
  }

  static String brief(String key, long version, String value, Set<String> tags) {
    return "%s v%d %s %s".formatted(key, version, value, tags.stream().sorted().toList());
  }

  /** The events in the order of their positions, as {@link Contract#brief}. */
  public List<String> events() {
    return events;
  }

  long version(String key) {
    return Optional.ofNullable(cells.get(key)).map(Cell::version).orElse(0L);
  }

  /** What expires at the same instant goes in the order of the keys. */
  public void expire(Instant now) {
    cells.entrySet().stream()
        .filter(each -> each.getValue().expiresAt().filter(at -> !now.isBefore(at)).isPresent())
        .sorted(Comparator.comparing(each -> each.getValue().expiresAt().orElseThrow()))
        .map(Map.Entry::getKey)
        .toList()
        .forEach(key -> remove("EXPIRED", key));
  }

  void read(String key) {
    if (eviction.isPresent() && cells.containsKey(key)) {
      use(key);
    }
  }

  void put(String key, String value, Set<String> tags, Optional<Duration> ttl, Instant now) {
    events.add("WRITTEN %s %d".formatted(key, version(key)));
    cells.put(key, new Cell(value, version(key) + 1, tags, ttl.map(now::plus)));
    byWrite.remove(key);
    byWrite.add(key);
    use(key);
  }

  private void use(String key) {
    byUse.remove(key);
    byUse.add(key);
    uses.merge(key, 1, Integer::sum);
  }

  boolean delete(String key) {
    return remove("DELETED", key);
  }

  private boolean remove(String type, String key) {
    if (!cells.containsKey(key)) {
      return false;
    }
    events.add("%s %s %d".formatted(type, key, version(key)));
    forget(key);
    return true;
  }

  private void forget(String key) {
    cells.remove(key);
    byUse.remove(key);
    byWrite.remove(key);
    uses.remove(key);
  }

  long clear() {
    int count = cells.size();
    if (count > 0) {
      events.add("CLEARED " + count);
      List.copyOf(cells.keySet()).forEach(this::forget);
    }
    return count;
  }

  void evict(Set<String> written) {
    eviction.ifPresent(limit -> {
      while (cells.size() > limit.maxEntries()) {
        Optional<String> victim =
            switch (limit.order()) {
              case OLDEST -> first(byWrite, written);
              case LEAST_RECENTLY_USED -> first(byUse, written);
              case LEAST_FREQUENTLY_USED ->
                  first(byUse.stream().sorted(Comparator.comparing(uses::get)).toList(), written);
            };
        if (victim.isEmpty()) {
          return;
        }
        remove("DELETED", victim.get());
      }
    });
  }

  private static Optional<String> first(List<String> keys, Set<String> spared) {
    return keys.stream().filter(key -> !spared.contains(key)).findFirst();
  }
}
