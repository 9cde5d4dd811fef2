package dev.colony.testkit.board;

import dev.colony.blackboard.Eviction;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How entries of one scope were used, and which of them goes first. It begins to sort them when an
 * order is first asked for; another order sorts them anew. Not thread-safe.
 */
final class MemoryUses {

  /**
   * @param used when it was last read or written, counted in uses of the scope
   */
  private record Use(String key, long uses, long used, long written) {}

  private static final Comparator<Use> OLDEST = Comparator.comparingLong(Use::written);
  private static final Comparator<Use> LEAST_RECENT = Comparator.comparingLong(Use::used);
  private static final Comparator<Use> LEAST_FREQUENT =
      Comparator.comparingLong(Use::uses).thenComparing(LEAST_RECENT);

  private final Map<String, Use> byKey = new HashMap<>();
  private Optional<Eviction.Order> order = Optional.empty();
  private NavigableSet<Use> sorted = new TreeSet<>(OLDEST);
  private long clock;

  void written(String key) {
    clock++;
    replace(new Use(key, uses(key) + 1, clock, clock));
  }

  void read(String key) {
    clock++;
    replace(new Use(key, uses(key) + 1, clock, byKey.get(key).written()));
  }

  void remove(String key) {
    Use use = byKey.remove(key);
    if (use != null) {
      sorted.remove(use);
    }
  }

  void clear() {
    byKey.clear();
    sorted.clear();
  }

  /** Which goes first, but for the spared ones; empty if there are no others. */
  Optional<String> victim(Eviction.Order wanted, Set<String> spared) {
    if (!order.equals(Optional.of(wanted))) {
      sort(wanted);
    }
    return sorted.stream().map(Use::key).filter(key -> !spared.contains(key)).findFirst();
  }

  private void sort(Eviction.Order wanted) {
    order = Optional.of(wanted);
    sorted =
        new TreeSet<>(
            switch (wanted) {
              case LEAST_RECENTLY_USED -> LEAST_RECENT;
              case LEAST_FREQUENTLY_USED -> LEAST_FREQUENT;
              case OLDEST -> OLDEST;
            });
    sorted.addAll(byKey.values());
  }

  private long uses(String key) {
    Use use = byKey.get(key);
    return use == null ? 0 : use.uses();
  }

  private void replace(Use use) {
    remove(use.key());
    byKey.put(use.key(), use);
    if (order.isPresent()) {
      sorted.add(use);
    }
  }
}
