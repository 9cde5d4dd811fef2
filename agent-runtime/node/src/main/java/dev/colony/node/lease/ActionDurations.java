package dev.colony.node.lease;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/** How long each kind of action takes, as was seen of late. Not thread-safe. */
final class ActionDurations {

  /** How much of the mean a new observation makes up, once there are several. */
  private static final double RECENT = 0.2;

  private record Seen(double mean, int times) {
    Seen and(double seconds) {
      double part = Math.max(RECENT, 1.0 / (times + 1));
      return new Seen(mean + part * (seconds - mean), times + 1);
    }
  }

  private final Map<String, Seen> seen;

  /**
   * @param most kinds that are remembered, those that were seen last
   */
  ActionDurations(int most) {
    seen =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
            return size() > most;
          }
        };
  }

  void took(String kind, double seconds) {
    seen.merge(kind, new Seen(seconds, 1), (before, one) -> before.and(seconds));
  }

  /** Seconds; empty for a kind that was not seen. */
  OptionalDouble of(String kind) {
    Seen known = seen.get(kind);
    return known == null ? OptionalDouble.empty() : OptionalDouble.of(known.mean());
  }
}
