package dev.colony.vcm.schedule;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a replica has said of blocks: that it stored or that it evicted them. Bounded: what was said
 * longest ago is forgotten first, so that a block of which an eviction was never heard does not
 * stay for good.
 */
final class ToldBlocks {

  private final int most;
  private final Map<Long, Boolean> blocks = new LinkedHashMap<>();
  private int held;

  /**
   * @param most how many blocks are kept, at least 1
   */
  ToldBlocks(int most) {
    this.most = most;
  }

  void told(long block, boolean stored) {
    forget(block);
    blocks.put(block, stored);
    held += stored ? 1 : 0;
    if (blocks.size() > most) {
      forget(blocks.keySet().iterator().next());
    }
  }

  private void forget(long block) {
    Boolean before = blocks.remove(block);
    held -= before != null && before ? 1 : 0;
  }

  /** How many blocks it holds by what it said. */
  int held() {
    return held;
  }

  /** Empty where nothing was said of it, or too long ago. */
  Optional<Boolean> holds(long block) {
    return Optional.ofNullable(blocks.get(block));
  }

  void forget() {
    blocks.clear();
    held = 0;
  }
}
