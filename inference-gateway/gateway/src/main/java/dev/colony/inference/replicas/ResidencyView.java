package dev.colony.inference.replicas;

import dev.colony.vcm.schedule.Sensitivity;
import java.util.Set;

/**
 * What is known of the pages in the replicas' KV caches. May lag the truth: a wrong answer costs a
 * cache miss. Called for every page of every call, so implementations answer from memory.
 */
@FunctionalInterface
public interface ResidencyView {

  /** Knows of no resident page. */
  ResidencyView NONE = page -> Set.of();

  /** Ids of the replicas that hold the page. */
  Set<String> replicasOf(String pageId);

  /**
   * Whether a replica may hold a page of a class; where it may not, no prompt with it goes there.
   */
  default boolean mayHold(Replica replica, Sensitivity page) {
    return true;
  }

  /** Whether a page is to stay in the caches that have it. */
  default boolean locked(String pageId) {
    return false;
  }

  /**
   * Which pages of a replica are to go before those that are locked there; empty where none is. A
   * page that is locked is never among them.
   */
  default Set<String> victims(String replica) {
    return Set.of();
  }

  /** Whether one replica holds the page. */
  default boolean resident(String replica, String pageId) {
    return replicasOf(pageId).contains(replica);
  }
}
