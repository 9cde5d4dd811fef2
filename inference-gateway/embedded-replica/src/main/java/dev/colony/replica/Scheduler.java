package dev.colony.replica;

import dev.colony.replica.BlockPool.Block;
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
   */
  public record Limits(int blockTokens, int maxRunning, int maxBatchedTokens) {}

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
    int budget = limits.maxBatchedTokens();
    int preempted = 0;
    for (int i = 0; i < running.size() && budget > 0; i++) {
      Sequence sequence = running.get(i);
      int tokens = Math.min(budget, sequence.known() - sequence.computed());
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

  /** Adds a share; what it takes of the budget. */
  private static int share(Sequence sequence, int tokens, List<Share> shares) {
    int before = sequence.computed();
    boolean decoding = tokens == 1 && before >= sequence.promptTokens();
    shares.add(new Share(sequence, before, tokens, decoding));
    return tokens;
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
  private int begin(Sequence sequence, int budget) {
    // The last token is computed even where it is cached: the reply's first follows from it.
    List<Block> hits = pool.hits(sequence.chain(), (sequence.known() - 1) / blockTokens);
    int cached = hits.size() * blockTokens;
    int all = blocks(sequence.known()) - hits.size();
    if (all + BlockPool.idle(hits) > pool.free()) {
      return 0;
    }
    int tokens = Math.min(budget, sequence.known() - cached);
    pool.touch(hits);
    sequence.start(hits);
    queriedTokens += sequence.known();
    hitTokens += cached;
    take(sequence, blocks(cached + tokens) - hits.size());
    sequence.fill(cached + tokens, pool);
    return tokens;
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
