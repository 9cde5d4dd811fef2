package dev.colony.replica;

import dev.colony.replica.BlockPool.Block;
import dev.colony.replica.BlockPool.BlockHashes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A call in the engine: its prompt, the reply that it will get token by token, and how far both
 * have come. Changed by its {@link Scheduler} only.
 */
public final class Sequence {

  private final int[] tokens;
  private final int promptTokens;
  private final int blockTokens;
  private final String salt;
  private final long[] chain;
  private final List<Block> blocks = new ArrayList<>();
  private int computed;
  private int generated;
  private int cachedBlocks;
  private int hitTokens = -1;
  private int preemptions;
  private boolean over;

  /**
   * @param prompt at least one token
   * @param reply at least one token
   * @param salt keeps its blocks apart from those of other salts; empty for none
   */
  public Sequence(int[] prompt, int[] reply, int blockTokens, String salt) {
    if (prompt.length == 0 || reply.length == 0) {
      throw new IllegalArgumentException("prompt and reply have at least one token each");
    }
    this.tokens = Arrays.copyOf(prompt, prompt.length + reply.length);
    System.arraycopy(reply, 0, tokens, prompt.length, reply.length);
    this.promptTokens = prompt.length;
    this.blockTokens = blockTokens;
    this.salt = salt;
    this.chain = BlockHashes.chain(tokens, blockTokens, salt);
  }

  public int promptTokens() {
    return promptTokens;
  }

  public String salt() {
    return salt;
  }

  /** Hashes of its full blocks, those of the whole reply included. */
  public long[] chain() {
    return chain;
  }

  /** The tokens of some of its blocks. */
  public int[] tokensOf(int firstBlock, int count) {
    return Arrays.copyOfRange(tokens, firstBlock * blockTokens, (firstBlock + count) * blockTokens);
  }

  /** Tokens of the reply so far. */
  public int generated() {
    return generated;
  }

  /** Prompt tokens found in the cache when it first ran; 0 before that. */
  public int hitTokens() {
    return Math.max(0, hitTokens);
  }

  /** How often it lost its blocks to others. */
  public int preemptions() {
    return preemptions;
  }

  /** Whether the reply is complete, or the call was given up. */
  public boolean over() {
    return over;
  }

  List<Block> blocks() {
    return blocks;
  }

  /** Tokens that there are: the prompt, and what was generated. */
  int known() {
    return promptTokens + generated;
  }

  int computed() {
    return computed;
  }

  void start(List<Block> hits) {
    blocks.addAll(hits);
    cachedBlocks = hits.size();
    computed = hits.size() * blockTokens;
    if (hitTokens < 0) {
      hitTokens = computed;
    }
  }

  /** Names the blocks that are full when {@code tokens} are computed. */
  void fill(int tokens, BlockPool pool) {
    int full = tokens / blockTokens;
    if (full > cachedBlocks) {
      pool.cache(this, cachedBlocks, full);
      cachedBlocks = full;
    }
  }

  /** True if a token of the reply follows from it. */
  boolean compute(int more) {
    computed += more;
    if (computed < known()) {
      return false;
    }
    generated++;
    over = promptTokens + generated == tokens.length;
    return true;
  }

  /** Gives back its blocks. */
  void release(BlockPool pool) {
    pool.release(blocks);
    blocks.clear();
    cachedBlocks = 0;
    computed = 0;
  }

  void preempt(BlockPool pool) {
    release(pool);
    preemptions++;
  }

  void end() {
    over = true;
  }
}
