package dev.colony.inference.prefix;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The blocks that a replica keeps in its KV cache: a forest in which a block's parent is the block
 * before it in the prompt.
 *
 * <p>A prompt reuses the longest cached prefix of its blocks and enters the rest at once, as vLLM's
 * scheduler does when it allocates them. Blocks under a lease stay; of the others the least
 * recently used <em>leaf</em> goes first, so that a cached block's whole prefix is always cached
 * too. A prompt costs O(blocks) map operations and O(log capacity) per eviction.
 *
 * <p>Not thread-safe.
 */
public final class PrefixCache {

  /** The blocks of one running prompt; they stay until it is released. */
  public static final class Lease {
    private final List<Block> blocks;
    private boolean released;

    private Lease(List<Block> blocks) {
      this.blocks = blocks;
    }
  }

  /**
   * What a prompt found and displaced.
   *
   * @param reusedBlocks how many blocks from the prompt's start were cached already
   * @param evicted hashes of the blocks that made room
   */
  public record Entered(Lease lease, int reusedBlocks, List<Long> evicted) {}

  private static final class Block {
    final long hash;
    final Block parent;
    int children;
    int leases;
    long lastUse;

    Block(long hash, Block parent) {
      this.hash = hash;
      this.parent = parent;
    }

    boolean evictable() {
      return children == 0 && leases == 0;
    }
  }

  private final int capacityBlocks;
  private final Map<Long, Block> blocks = new HashMap<>();

  /** Evictable leaves by last use. Uses are numbered from a prompt's leaf up, so no two tie. */
  private final TreeMap<Long, Block> victims = new TreeMap<>();

  private int leasedBlocks;
  private long uses;

  public PrefixCache(int capacityBlocks) {
    if (capacityBlocks < 1) {
      throw new IllegalArgumentException(
          "capacityBlocks must be at least 1, was " + capacityBlocks);
    }
    this.capacityBlocks = capacityBlocks;
  }

  /**
   * Enters a prompt's blocks. Empty, with nothing changed, while leased blocks leave too little
   * room.
   *
   * @throws IllegalArgumentException if the prompt has more blocks than the cache holds at all
   */
  public Optional<Entered> enter(long[] chain) {
    if (chain.length > capacityBlocks) {
      throw new IllegalArgumentException(
          "a prompt of " + chain.length + " blocks exceeds the capacity of " + capacityBlocks);
    }
    int reused = cachedPrefix(chain);
    int reusedIdle = 0;
    for (int i = 0; i < reused; i++) {
      reusedIdle += blocks.get(chain[i]).leases == 0 ? 1 : 0;
    }
    int missing = chain.length - reused;
    if (missing > capacityBlocks - leasedBlocks - reusedIdle) {
      return Optional.empty();
    }
    List<Block> path = new ArrayList<>(chain.length);
    for (int i = 0; i < reused; i++) {
      path.add(lease(blocks.get(chain[i])));
    }
    List<Long> evicted = new ArrayList<>();
    while (blocks.size() + missing > capacityBlocks) {
      evicted.add(evictOldestLeaf());
    }
    for (int i = reused; i < chain.length; i++) {
      Block parent = i == 0 ? null : path.get(i - 1);
      Block block = new Block(chain[i], parent);
      if (parent != null) {
        parent.children++;
      }
      blocks.put(chain[i], block);
      path.add(lease(block));
    }
    for (int i = path.size() - 1; i >= 0; i--) {
      path.get(i).lastUse = ++uses;
    }
    return Optional.of(new Entered(new Lease(path), reused, evicted));
  }

  /** Ends a prompt's hold on its blocks; they stay cached until room is needed. */
  public void release(Lease lease) {
    if (lease.released) {
      throw new IllegalStateException("lease released twice");
    }
    lease.released = true;
    for (Block block : lease.blocks) {
      if (--block.leases == 0) {
        leasedBlocks--;
      }
      if (block.evictable()) {
        victims.put(block.lastUse, block);
      }
    }
  }

  /** How many blocks from the start of {@code chain} are cached. */
  public int cachedPrefix(long[] chain) {
    int cached = 0;
    while (cached < chain.length && blocks.containsKey(chain[cached])) {
      cached++;
    }
    return cached;
  }

  /** Whether the block is cached, and with it the whole prefix that its hash covers. */
  public boolean contains(long hash) {
    return blocks.containsKey(hash);
  }

  public int sizeBlocks() {
    return blocks.size();
  }

  public int leasedBlocks() {
    return leasedBlocks;
  }

  public int capacityBlocks() {
    return capacityBlocks;
  }

  private Block lease(Block block) {
    if (block.evictable()) {
      victims.remove(block.lastUse);
    }
    if (block.leases++ == 0) {
      leasedBlocks++;
    }
    return block;
  }

  private long evictOldestLeaf() {
    Block victim = victims.pollFirstEntry().getValue();
    blocks.remove(victim.hash);
    Block parent = victim.parent;
    if (parent != null) {
      parent.children--;
      if (parent.evictable()) {
        victims.put(parent.lastUse, parent);
      }
    }
    return victim.hash;
  }
}
