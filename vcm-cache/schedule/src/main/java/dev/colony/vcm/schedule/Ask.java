package dev.colony.vcm.schedule;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A prompt that needs a replica.
 *
 * @param blocks its chained blocks, the first of the prompt first; not to be changed
 * @param ends for each block the tokens of the prompt up to its end, never falling
 * @param promptTokens of the whole prompt, at least 1
 * @param outputTokens expected; 0 where nothing is known
 * @param tenant who pays for it, where that is known
 * @param session whose turn it is, where it belongs to one
 * @param excluded replicas that it may not go to, as those that have failed it
 */
public record Ask(
    long[] blocks,
    double[] ends,
    long promptTokens,
    long outputTokens,
    Optional<String> tenant,
    Optional<String> session,
    Set<String> excluded) {

  public Ask {
    Objects.requireNonNull(tenant);
    Objects.requireNonNull(session);
    excluded = Set.copyOf(excluded);
    if (blocks.length != ends.length || promptTokens < 1 || outputTokens < 0) {
      throw new IllegalArgumentException(
          "blocks %d, ends %d, promptTokens %d, outputTokens %d"
              .formatted(blocks.length, ends.length, promptTokens, outputTokens));
    }
  }

  /** A prompt whose blocks are all of one size, of which nothing else is known. */
  public static Ask even(long[] blocks, int blockTokens, long promptTokens) {
    double[] ends = new double[blocks.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = (double) blockTokens * (i + 1);
    }
    return new Ask(blocks, ends, promptTokens, 0, Optional.empty(), Optional.empty(), Set.of());
  }

  /** The same for other replicas. */
  public Ask excluding(Set<String> replicas) {
    return new Ask(blocks, ends, promptTokens, outputTokens, tenant, session, replicas);
  }

  /** The same as a turn of a session. */
  public Ask of(String owner) {
    return new Ask(blocks, ends, promptTokens, outputTokens, tenant, Optional.of(owner), excluded);
  }

  /** The same with so many tokens of output expected. */
  public Ask withOutput(long tokens) {
    return new Ask(blocks, ends, promptTokens, tokens, tenant, session, excluded);
  }

  /** Blocks that its output is expected to take: blocks as large as the prompt's on average. */
  public int outputBlocks() {
    return blocks.length == 0
        ? 0
        : (int) Math.ceil(outputTokens / (ends[ends.length - 1] / ends.length));
  }

  /** Tokens that need not be computed where so many blocks are cached: never all of them. */
  public double cachedTokens(int blocksCached) {
    return blocksCached == 0 ? 0 : Math.min(ends[blocksCached - 1], promptTokens - 1);
  }

  /**
   * How many blocks are cached where a reply says that so many of the prompt's tokens are: those of
   * which the greater part is.
   */
  public int cachedBlocks(long cached, long prompt) {
    double tokens = prompt <= 0 ? 0 : (double) cached / prompt * promptTokens;
    int whole = 0;
    while (whole < ends.length
        && tokens >= (ends[whole] + (whole == 0 ? 0 : ends[whole - 1])) / 2) {
      whole++;
    }
    return whole;
  }
}
