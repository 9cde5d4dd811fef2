package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.Orders.Eviction;
import dev.colony.vcm.schedule.Orders.Touch;
import java.util.List;

/**
 * Carries out at the caches of replicas what a scheduler orders. Thread-safe; no method blocks.
 *
 * <p>Orders are advice: each is tried at most once, and one that cannot be carried out is left out
 * and counted, never told to the caller. A cache that was not told evicts in its own order. An
 * order names blocks by the hashes of the {@link dev.colony.vcm.schedule.Ask} that brought them
 * there, so only a gateway that has sent such a prompt can carry it out: in a cluster the orders go
 * to every gateway, and each takes those whose prompts it has sent.
 */
public interface CacheControl {

  /** Tells no cache anything. */
  CacheControl NONE =
      new CacheControl() {
        @Override
        public EvictionControl control(String replica) {
          return EvictionControl.NONE;
        }

        @Override
        public void carryOut(List<Eviction> evictions, List<Touch> touches) {}
      };

  /**
   * How a replica's cache is told what is wanted least. Answers from memory.
   *
   * @return {@link EvictionControl#NONE} for a replica that is not known
   */
  EvictionControl control(String replica);

  /**
   * Hands orders over: those of one replica are carried out in their order, evictions first.
   *
   * @param evictions for replicas whose control is {@link EvictionControl#HINTS}; others are left
   *     out
   * @param touches for replicas whose control is {@link EvictionControl#TOUCHES}; others are left
   *     out
   */
  void carryOut(List<Eviction> evictions, List<Touch> touches);
}
