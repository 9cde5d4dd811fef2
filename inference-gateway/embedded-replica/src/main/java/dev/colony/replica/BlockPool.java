package dev.colony.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks of a KV cache. A full block keeps its content, under its hash, after its last user has
 * released it; released blocks are taken again in the order of their release, blocks never used
 * first. A cached block that is taken again loses its content. The same content may stand in
 * several blocks, where calls that run side by side have computed it: none is given up for another.
 *
 * <p>All operations cost O(1) for each block. Not thread-safe.
 */
public final class BlockPool {

  /** Hears of changes of the cache, as they happen. */
  public interface Listener {

    /**
     * Blocks of a prompt and its reply were filled, one after the other.
     *
     * @param first how many blocks of the sequence stand before them
     */
    void stored(Sequence sequence, int first, int blocks);

    /**
     * A block lost its content.
     *
     * @param last whether no other block has the same
     */
    void removed(long hash, boolean last);

    /** All blocks lost their content. */
    void cleared();
  }

  static final class Block {
    private int users;
    private boolean cached;
    private long hash;
    private Block before;
    private Block after;
    private Block sameHash;
  }

  private final int capacity;
  private final Listener listener;
  private final Map<Long, Block> cached = new HashMap<>();

  /** Head and tail of the free blocks: the first to be taken follows it, the last precedes it. */
  private final Block ends = new Block();

  private int made;
  private int released;

  public BlockPool(int capacity, Listener listener) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1, was " + capacity);
    }
    this.capacity = capacity;
    this.listener = listener;
    ends.before = ends;
    ends.after = ends;
  }

  public int capacity() {
    return capacity;
  }

  /** Blocks that nothing uses, cached ones among them. */
  public int free() {
    return capacity - made + released;
  }

  /** Whether a block with this content is cached. */
  public boolean contains(long hash) {
    return cached.containsKey(hash);
  }

  /**
   * Takes all content from the cache; false, with nothing changed, while any block is in use, as in
   * vLLM.
   */
  public boolean clear() {
    if (free() < capacity) {
      return false;
    }
    for (Block block = ends.after; block != ends; block = block.after) {
      block.cached = false;
      block.sameHash = null;
    }
    cached.clear();
    listener.cleared();
    return true;
  }

  /**
   * A hint: these contents are wanted least, so their blocks are the next to be taken, the last of
   * them first. Blocks in use stay as they are, and count as any others when they are released.
   *
   * @return how many blocks it has moved
   */
  public int evictNext(long[] hashes) {
    int moved = 0;
    for (long hash : hashes) {
      for (Block block = cached.get(hash); block != null; block = block.sameHash) {
        if (block.users == 0) {
          unlink(block);
          link(ends, block);
          moved++;
        }
      }
    }
    return moved;
  }

  /** The cached blocks of a chain from its start, at most {@code most}. */
  List<Block> hits(long[] chain, int most) {
    List<Block> hits = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      Block block = cached.get(chain[i]);
      if (block == null) {
        break;
      }
      hits.add(block);
    }
    return hits;
  }

  /** How many of these blocks nothing uses. */
  static int idle(List<Block> blocks) {
    int idle = 0;
    for (Block block : blocks) {
      idle += block.users == 0 ? 1 : 0;
    }
    return idle;
  }

  /** Uses cached blocks once more. */
  void touch(List<Block> blocks) {
    for (Block block : blocks) {
      if (block.users++ == 0) {
        unlink(block);
      }
    }
  }

  /** Takes a free block, which loses what it held; there must be one. */
  Block take() {
    if (made < capacity) {
      made++;
      Block block = new Block();
      block.users = 1;
      return block;
    }
    Block block = ends.after;
    if (block == ends) {
      throw new IllegalStateException("all " + capacity + " blocks are in use");
    }
    unlink(block);
    if (block.cached) {
      evict(block);
    }
    block.users = 1;
    return block;
  }

  /** Names the content of full blocks, from then on to be found by others. */
  void cache(Sequence sequence, int first, int end) {
    for (int i = first; i < end; i++) {
      Block block = sequence.blocks().get(i);
      block.hash = sequence.chain()[i];
      block.cached = true;
      Block same = cached.putIfAbsent(block.hash, block);
      if (same != null) {
        block.sameHash = same.sameHash;
        same.sameHash = block;
      }
    }
    listener.stored(sequence, first, end - first);
  }

  /** Releases a sequence's blocks, its last one first, so that its start stays longest. */
  void release(List<Block> blocks) {
    for (Block block : blocks.reversed()) {
      if (--block.users == 0) {
        link(ends.before, block);
      }
    }
  }

  /** Makes a block free, behind another in the order in which they are taken. */
  private void link(Block before, Block block) {
    released++;
    block.before = before;
    block.after = before.after;
    before.after.before = block;
    before.after = block;
  }

  private void unlink(Block block) {
    released--;
    block.before.after = block.after;
    block.after.before = block.before;
    block.before = null;
    block.after = null;
  }

  private void evict(Block block) {
    Block first = cached.get(block.hash);
    if (first == block) {
      if (block.sameHash == null) {
        cached.remove(block.hash);
      } else {
        cached.put(block.hash, block.sameHash);
      }
    } else {
      Block before = first;
      while (before.sameHash != block) {
        before = before.sameHash;
      }
      before.sameHash = block.sameHash;
    }
    block.cached = false;
    block.sameHash = null;
    listener.removed(block.hash, !cached.containsKey(block.hash));
  }

  /**
   * Names the full blocks of a token sequence: the hash of a block covers its own tokens and the
   * hash of the block before it, so that equal hashes mean equal prefixes.
   *
   * <p>64 bits: among a million blocks the chance of any collision is below one in ten million.
   */
  public static final class BlockHashes {

    private static final long ROOT = 0x9E3779B97F4A7C15L;

    private BlockHashes() {}

    /** The chained hashes of all full blocks; trailing tokens that fill no block are left out. */
    static long[] chain(int[] tokens, int blockTokens) {
      return chain(tokens, blockTokens, "");
    }

    /**
     * As above, with a salt in the first block's hash and so in all: prompts of different salts
     * share no block.
     *
     * @param salt empty for none
     */
    public static long[] chain(int[] tokens, int blockTokens, String salt) {
      long[] chain = new long[tokens.length / blockTokens];
      long hash = ROOT;
      for (int i = 0; i < salt.length(); i++) {
        hash = mix(hash * 31 + ~salt.charAt(i));
      }
      for (int block = 0, at = 0; block < chain.length; block++) {
        for (int end = at + blockTokens; at < end; at++) {
          hash = mix(hash * 31 + tokens[at]);
        }
        chain[block] = hash;
      }
      return chain;
    }

    /**
     * The finalizer of SplitMix64: a bijection in which every input bit reaches every output bit.
     */
    private static long mix(long z) {
      long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
      long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
      return b ^ (b >>> 31);
    }
  }
}
