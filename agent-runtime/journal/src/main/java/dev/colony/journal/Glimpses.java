package dev.colony.journal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where logs ended when their snapshots were read: a recovery asks for the one right behind the
 * other, so that the first reading tells both. Each is given out once, and not after something was
 * appended from here; what others append it misses as any reading may that comes too early, and
 * then the recovery's first append is refused. Of more than {@value #MOST} the oldest go, and are
 * read again. Thread-safe.
 */
final class Glimpses {

  private static final int MOST = 1_000;

  private final Map<String, Glimpse> begun = new LinkedHashMap<>();

  /** One reading of a snapshot. */
  static final class Glimpse {

    private volatile LogView view;

    /** What it has shown of the log. */
    void show(LogView seen) {
      view = seen;
    }
  }

  /** To be called before the reading. */
  synchronized Glimpse begin(String persistenceId) {
    Glimpse glimpse = new Glimpse();
    begun.remove(persistenceId);
    begun.put(persistenceId, glimpse);
    if (begun.size() > MOST) {
      begun.remove(begun.keySet().iterator().next());
    }
    return glimpse;
  }

  /** What the last reading has shown. */
  synchronized Optional<LogView> take(String persistenceId) {
    return Optional.ofNullable(begun.remove(persistenceId))
        .flatMap(glimpse -> Optional.ofNullable(glimpse.view));
  }

  /** Something is appended to the log. */
  synchronized void forget(String persistenceId) {
    begun.remove(persistenceId);
  }
}
