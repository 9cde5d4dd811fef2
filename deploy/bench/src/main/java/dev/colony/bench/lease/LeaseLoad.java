package dev.colony.bench.lease;

import java.util.Random;

/**
 * What the agents of a benchmark of leases do, which hangs on the seed alone.
 *
 * @param agents on all nodes together, which all begin within {@code spreadMillis}
 * @param turns of each, a model call and a pause
 * @param startTokens of an agent's first prompt, of which {@code sharedTokens} are the same for all
 * @param turnTokens by which a prompt is longer than the one before
 * @param pauseMillis between two turns, on average; exponentially distributed, up to four times
 *     that
 * @param overcommit how many times the agents' prompts, of medium length, fill all caches together
 */
public record LeaseLoad(
    int agents,
    int turns,
    int sharedTokens,
    int startTokens,
    int turnTokens,
    int pauseMillis,
    int spreadMillis,
    double overcommit,
    long seed) {

  /** What one agent does. */
  record Session(int startMillis, long textSeed, int[] pausesMillis) {}

  Session session(int agent) {
    Random random = new Random(seed * 31 + agent);
    int start = random.nextInt(spreadMillis + 1);
    long text = random.nextLong();
    int[] pauses = new int[turns - 1];
    for (int i = 0; i < pauses.length; i++) {
      double drawn = -Math.log(1 - random.nextDouble());
      pauses[i] = (int) (pauseMillis * Math.min(4, drawn));
    }
    return new Session(start, text, pauses);
  }

  /** Tokens of an agent's prompt of medium length. */
  int workingSetTokens() {
    return startTokens + turnTokens * (turns - 1) / 2;
  }

  /** Blocks that each of so many caches is to have. */
  int cacheBlocks(int replicas, int blockTokens) {
    return (int) (agents * (double) workingSetTokens() / overcommit / replicas / blockTokens);
  }
}
