package dev.colony.vcm.schedule;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a replica that tells nothing of its cache is taken to hold: the blocks of the prompts that
 * went there, of which the least recently used go first, as in vLLM. A block is held while fewer
 * distinct blocks than the cache's size have been used since its last use.
 *
 * <p>That size is learned. A reply that says how much of its prompt was cached shows of one block
 * that it was there and of the next that it was not; how many blocks were used since their last use
 * bounds the size from below and from above. What goes through other gateways takes room too, so
 * that the size learned is this gateway's share.
 *
 * <p>A use of a block costs O(log most).
 */
public final class EstimatedBlocks implements Residency {

  /** How far one reply moves the size towards what it shows. */
  private static final double LEARNING = 0.1;

  /** The age of a block that is not known. */
  private static final int UNKNOWN = Integer.MAX_VALUE;

  private final int least;
  private final int most;
  private double size;

  /** When each block was last used, the least recently used first. */
  private final Map<Long, Integer> lastUse = new LinkedHashMap<>();

  /** By time of use: whether a block was last used then, summed as by Fenwick. */
  private int[] sums;

  private int now;

  /**
   * @param size blocks that the cache is taken to hold at first
   * @param most the largest size that may be learned, and how many blocks are remembered
   */
  public EstimatedBlocks(int size, int most) {
    if (size < 1 || most < size) {
      throw new IllegalArgumentException("size must be from 1 to " + most + ": " + size);
    }
    this.size = size;
    this.least = 1;
    this.most = most;
    sums = new int[2 * most + 2];
  }

  /** The cache holds that many, from 1 to the most: what is learned goes on from there. */
  void resize(int blocks) {
    size = blocks;
  }

  /** How many blocks the cache is taken to hold. */
  public int size() {
    return (int) Math.round(size);
  }

  @Override
  public boolean holds(long block) {
    return usedSince(block) < size();
  }

  /** Also where it should have been evicted. */
  @Override
  public boolean knows(long block) {
    return lastUse.containsKey(block);
  }

  /**
   * For each block of the chain how many others were used since its last use; what {@link #cached}
   * needs of the moment before {@link #used}.
   */
  public int[] ages(long[] chain) {
    int[] ages = new int[chain.length];
    for (int i = 0; i < chain.length; i++) {
      ages[i] = usedSince(chain[i]);
    }
    return ages;
  }

  /** A prompt goes there, or has ended there: its blocks are used, its last ones longest ago. */
  public void used(long[] chain) {
    for (int i = chain.length - 1; i >= 0; i--) {
      use(chain[i]);
    }
  }

  /**
   * A reply said that {@code blocks} of a prompt were cached.
   *
   * @param ages as they were before the prompt went there; a negative one is no evidence, as of a
   *     block that another prompt was still being computed for
   */
  public void cached(int[] ages, int blocks) {
    if (blocks > 0 && blocks <= ages.length && known(ages[blocks - 1])) {
      double shown = ages[blocks - 1] + 1;
      if (shown > size) {
        size = Math.min(most, size + LEARNING * (shown - size) + 1);
      }
    }
    if (blocks < ages.length && known(ages[blocks])) {
      double shown = ages[blocks];
      if (shown < size) {
        size = Math.max(least, size - LEARNING * (size - shown));
      }
    }
  }

  /** The cache was emptied, as by a restart; what was learned of its size stays. */
  public void cleared() {
    lastUse.clear();
    sums = new int[sums.length];
    now = 0;
  }

  private static boolean known(int age) {
    return age >= 0 && age != UNKNOWN;
  }

  /** How many distinct blocks were used since the last use of this one. */
  private int usedSince(long block) {
    Integer at = lastUse.get(block);
    return at == null ? UNKNOWN : lastUse.size() - sum(at);
  }

  private void use(long block) {
    Integer before = lastUse.remove(block);
    if (before != null) {
      add(before, -1);
    } else if (lastUse.size() == most) {
      Map.Entry<Long, Integer> oldest = lastUse.entrySet().iterator().next();
      lastUse.remove(oldest.getKey());
      add(oldest.getValue(), -1);
    }
    if (now + 1 == sums.length) {
      renumber();
    }
    lastUse.put(block, ++now);
    add(now, 1);
  }

  private void renumber() {
    sums = new int[sums.length];
    now = 0;
    for (Map.Entry<Long, Integer> one : lastUse.entrySet()) {
      one.setValue(++now);
      add(now, 1);
    }
  }

  private void add(int at, int change) {
    for (int i = at; i < sums.length; i += i & -i) {
      sums[i] += change;
    }
  }

  /** How many blocks were last used at that time or earlier. */
  private int sum(int at) {
    int sum = 0;
    for (int i = at; i > 0; i -= i & -i) {
      sum += sums[i];
    }
    return sum;
  }
}
