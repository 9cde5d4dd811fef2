package dev.colony.replica.kv;

import dev.colony.replica.kv.BlockPool.Block;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides what an engine computes in each step: first a share for each running call in the order in
 * which they began, then for waiting calls in the order in which they came, until the step's budget
 * of tokens is used. A call that decodes takes one token of it, a prompt as much as is left, the
 * rest in later steps. A waiting call begins where all of its prompt finds room, though its blocks
 * are taken step by step: else several prompts begin that cannot all be computed. Where a running
 * call finds no free block, the call that began last gives up its own, goes to the head of the
 * waiting ones and computes again what the cache has lost by then; in such a step no waiting call
 * begins.
 *
 * <p>Alternates between {@link #schedule} and {@link #complete}; calls may be added and aborted at
 * any time between. Not thread-safe.
 */
public final class Scheduler {

  /**
   * A call's share of a step.
   *
   * @param before tokens of the call that were computed before
   * @param decoding whether the share is the one token after the reply's last
   */
  public record Share(Sequence sequence, int before, int tokens, boolean decoding) {}

  /** What is computed together. */
  public record Step(List<Share> shares, int preempted) {}

  /**
   * What bounds a step.
   *
   * @param maxRunning calls that run at once
   * @param maxBatchedTokens the step's budget of tokens, over all calls; at least maxRunning
   * @param attentionTokens a prompt token counts in the budget as one more for so many tokens
   *     before it, as it does in time, so that steps within long prompts take no longer than
   *     others; 0 counts every token once, as vLLM does
   * @param reserveReplies whether a call begins only where all of its reply finds room, too, beside
   *     the replies of those that run: then none is ever preempted, as with TensorRT-LLM's {@code
   *     GUARANTEED_NO_EVICT}; else replies take what room there is, as with vLLM
   */
  public record Limits(
      int blockTokens,
      int maxRunning,
      int maxBatchedTokens,
      int attentionTokens,
      boolean reserveReplies) {}

  private final BlockPool pool;
  private final Limits limits;
  private final int blockTokens;
  private final ArrayDeque<Sequence> waiting = new ArrayDeque<>();
  private final List<Sequence> running = new ArrayList<>();
  private long queriedTokens;
  private long hitTokens;

  public Scheduler(BlockPool pool, Limits limits) {
    this.pool = pool;
    this.limits = limits;
    this.blockTokens = limits.blockTokens();
  }

  /** Adds a call behind the waiting ones; it must fit the pool when it is alone. */
  public void add(Sequence sequence) {
    waiting.add(sequence);
  }

  public int running() {
    return running.size();
  }

  public int waiting() {
    return waiting.size();
  }

  /** Tokens of calls that have begun, and those of them that were cached. */
  public long queriedTokens() {
    return queriedTokens;
  }

  public long hitTokens() {
    return hitTokens;
  }

  /** The next step; without shares only where no call runs or waits. */
  public Step schedule() {
    List<Share> shares = new ArrayList<>();
    double budget = limits.maxBatchedTokens();
    int preempted = 0;
    for (int i = 0; i < running.size() && budget > 0; i++) {
      Sequence sequence = running.get(i);
      int tokens = within(budget, sequence.computed(), sequence.known() - sequence.computed());
      while (!extend(sequence, tokens)) {
        Sequence last = running.removeLast();
        last.preempt(pool);
        waiting.addFirst(last);
        preempted++;
        if (last == sequence) {
          return new Step(shares, preempted);
        }
      }
      budget -= share(sequence, tokens, shares);
    }
    while (preempted == 0
        && budget > 0
        && running.size() < limits.maxRunning()
        && !waiting.isEmpty()) {
      int tokens = begin(waiting.peek(), budget);
      if (tokens == 0) {
        break;
      }
      Sequence sequence = waiting.poll();
      running.add(sequence);
      budget -= share(sequence, tokens, shares);
    }
    return new Step(shares, preempted);
  }

  /** How many tokens of a call a budget has room for behind those that are computed: at least 1. */
  private int within(double budget, int before, int most) {
    if (limits.attentionTokens() == 0) {
      return (int) Math.min(most, budget);
    }
    // Solves u (1 + (before + u/2) / A) = budget for u.
    double attention = limits.attentionTokens();
    double first = 1 + before / attention;
    double tokens = attention * (Math.sqrt(first * first + 2 * budget / attention) - first);
    return (int) Math.clamp(tokens, 1, most);
  }

  /** Adds a share; what it takes of the budget. */
  private double share(Sequence sequence, int tokens, List<Share> shares) {
    int before = sequence.computed();
    boolean decoding = tokens == 1 && before >= sequence.promptTokens();
    shares.add(new Share(sequence, before, tokens, decoding));
    return decoding || limits.attentionTokens() == 0
        ? tokens
        : tokens * (1 + (before + tokens / 2.0) / limits.attentionTokens());
  }

  /** Takes a step as computed. Returns the calls that got a token of their reply by it. */
  public List<Sequence> complete(Step step) {
    List<Sequence> advanced = new ArrayList<>();
    for (Share share : step.shares()) {
      Sequence sequence = share.sequence();
      if (!sequence.over() && sequence.compute(share.tokens())) {
        advanced.add(sequence);
        if (sequence.over()) {
          running.remove(sequence);
          sequence.release(pool);
        }
      }
    }
    return advanced;
  }

  /** Gives a call up, whether it runs, waits or is over. */
  public void abort(Sequence sequence) {
    if (!sequence.over()) {
      sequence.end();
      if (running.remove(sequence)) {
        sequence.release(pool);
      } else {
        waiting.remove(sequence);
      }
    }
  }

  private boolean extend(Sequence sequence, int tokens) {
    int end = sequence.computed() + tokens;
    int missing = blocks(end) - sequence.blocks().size();
    if (missing > pool.free()) {
      return false;
    }
    take(sequence, missing);
    sequence.fill(end, pool);
    return true;
  }

  /** How many tokens a waiting call computes first; 0, with nothing changed, without room. */
  private int begin(Sequence sequence, double budget) {
    // The last token is computed even where it is cached: the reply's first follows from it.
    List<Block> hits = pool.hits(sequence.chain(), (sequence.known() - 1) / blockTokens);
    int cached = hits.size() * blockTokens;
    int all = mostBlocks(sequence) - hits.size();
    if (all + BlockPool.idle(hits) + reserved() > pool.free()) {
      return 0;
    }
    int tokens = within(budget, cached, sequence.known() - cached);
    pool.touch(hits);
    sequence.start(hits);
    queriedTokens += sequence.known();
    hitTokens += cached;
    take(sequence, blocks(cached + tokens) - hits.size());
    sequence.fill(cached + tokens, pool);
    return tokens;
  }

  /** The blocks for which a call needs room to begin. */
  private int mostBlocks(Sequence sequence) {
    // The last token of a reply is not computed, as nothing follows from it.
    return blocks(limits.reserveReplies() ? sequence.length() - 1 : sequence.known());
  }

  /** Blocks that calls which run have yet to take, where they are kept for them. */
  private int reserved() {
    int reserved = 0;
    if (limits.reserveReplies()) {
      for (Sequence sequence : running) {
        reserved += mostBlocks(sequence) - sequence.blocks().size();
      }
    }
    return reserved;
  }

  private void take(Sequence sequence, int blocks) {
    for (int i = 0; i < blocks; i++) {
      sequence.blocks().add(pool.take());
    }
  }

  private int blocks(int tokens) {
    return (tokens + blockTokens - 1) / blockTokens;
  }
}
