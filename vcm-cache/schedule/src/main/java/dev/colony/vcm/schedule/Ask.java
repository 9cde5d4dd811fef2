package dev.colony.vcm.schedule;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A prompt that needs a replica.
 *
 * @param blocks its chained blocks, the first of the prompt first; not changed by anybody
 * @param blockTokens tokens of a block, on average; above 0
 * @param promptTokens of the whole prompt, at least 1
 * @param outputTokens expected; 0 where nothing is known
 * @param tenant who pays for it, where that is known
 * @param session whose turn it is, where it belongs to one
 * @param excluded replicas that it may not go to, as those that have failed it
 */
public record Ask(
    long[] blocks,
    double blockTokens,
    long promptTokens,
    long outputTokens,
    Optional<String> tenant,
    Optional<String> session,
    Set<String> excluded) {

  public Ask {
    Objects.requireNonNull(blocks);
    Objects.requireNonNull(tenant);
    Objects.requireNonNull(session);
    excluded = Set.copyOf(excluded);
    if (!(blockTokens > 0) || promptTokens < 1 || outputTokens < 0) {
      throw new IllegalArgumentException(
          "blockTokens "
              + blockTokens
              + ", promptTokens "
              + promptTokens
              + ", outputTokens "
              + outputTokens);
    }
  }

  /** Tokens that need not be computed where so many blocks are cached: never all of them. */
  public double cachedTokens(int blocksCached) {
    return Math.min(blocksCached * blockTokens, promptTokens - 1);
  }

  /** How many blocks are cached where a reply says that so many of the prompt's tokens are. */
  public int cachedBlocks(long cached, long prompt) {
    double part = prompt <= 0 ? 0 : Math.clamp((double) cached / prompt, 0, 1);
    return (int) Math.round(part * blocks.length);
  }
}
