package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * A page in one replica, at one moment.
 *
 * @param tokens of it there; 0 while it is absent or loading
 * @param readers calls under way that read it there
 * @param lastUse when a call that reads it last began or ended; empty where none is known
 * @param lockedUntil when the last lock of the page ends; empty where there is none
 */
public record PageEntry(
    PageId page,
    ReplicaId replica,
    PageState state,
    int tokens,
    int readers,
    Optional<Instant> lastUse,
    Optional<Instant> lockedUntil) {

  /** The one used longest ago first; those of which no use is known before all others. */
  public static final Comparator<PageEntry> LEAST_RECENTLY_USED =
      Comparator.<PageEntry, Instant>comparing(entry -> entry.lastUse().orElse(Instant.MIN))
          .thenComparing(PageEntry::page);

  /** Whether it may be evicted: it is there, no call reads it, and it is not locked. */
  public boolean evictable() {
    return tokens > 0 && readers == 0 && lockedUntil.isEmpty();
  }

  /** How a page stands in one replica's cache. */
  public enum PageState {
    /** Not there. */
    ABSENT,
    /** Not there, and a call is under way that computes it. */
    LOADING,
    /** There. */
    RESIDENT,
    /** There, and given up: what the engine evicts next, unless a call uses it before. */
    EVICTING
  }
}
