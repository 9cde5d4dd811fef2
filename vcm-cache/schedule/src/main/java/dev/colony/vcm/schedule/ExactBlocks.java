package dev.colony.vcm.schedule;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What a replica holds by its own word: blocks that it said were stored and has not said were
 * removed. Where words may be lost, the bound keeps blocks of which no end was heard from staying
 * for good: the oldest go.
 */
public final class ExactBlocks implements Residency {

  private final int most;
  private final Set<Long> blocks = new LinkedHashSet<>();

  /**
   * @param most how many blocks are kept, at least 1: no fewer than the replica holds
   */
  public ExactBlocks(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("most must be at least 1: " + most);
    }
    this.most = most;
  }

  /** The block was stored, or used again. */
  public void stored(long block) {
    blocks.remove(block);
    blocks.add(block);
    if (blocks.size() > most) {
      Iterator<Long> oldest = blocks.iterator();
      oldest.next();
      oldest.remove();
    }
  }

  /** All blocks of a prompt were stored, or used: those near its start count as the latest. */
  public void stored(long[] chain) {
    for (int i = chain.length - 1; i >= 0; i--) {
      stored(chain[i]);
    }
  }

  /** The block was evicted. */
  public void removed(long block) {
    blocks.remove(block);
  }

  /** The whole cache was emptied. */
  public void cleared() {
    blocks.clear();
  }

  /** How many blocks are held. */
  public int size() {
    return blocks.size();
  }

  @Override
  public boolean holds(long block) {
    return blocks.contains(block);
  }
}
