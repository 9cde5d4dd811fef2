package dev.colony.node.lease;

import dev.colony.agent.AgentBlueprint;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.table.GroupAssignment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What an agent's first prompt is expected to take of a cache, before it has called a model: the
 * pages that it is bound to, which those who are bound to the same have in common, and what more
 * its blueprint expects; by blocks that stand for those that are not known yet. Thread-safe.
 *
 * @param groups the pages of a group; empty for one that is not known
 * @param mostBlocks that a prompt is expected to have at most
 */
record ExpectedPrompts(Function<PageGroupId, Optional<GroupAssignment>> groups, int mostBlocks) {

  /** Spreads numbers that are close to each other over all that there are. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /**
   * That of an agent.
   *
   * @param blockTokens tokens of a block, above 0
   * @return empty where nothing says how large it is
   */
  Optional<Ask> of(String agent, AgentBlueprint blueprint, double blockTokens) {
    Optional<GroupAssignment> group =
        blueprint.pages().flatMap(groups).filter(known -> !known.pages().isEmpty());
    long pages = group.map(known -> (long) known.sizeTokens()).orElse(0L);
    long own = Math.max(0, blueprint.resources().expectedTokens() - pages);
    if (pages + own <= 0) {
      return Optional.empty();
    }
    int pageBlocks = blocks(pages, blockTokens, mostBlocks);
    int ownBlocks =
        blocks(own, blockTokens, Math.max(pageBlocks > 0 ? 0 : 1, mostBlocks - pageBlocks));
    long[] blocks = new long[pageBlocks + ownBlocks];
    for (int i = 0; i < pageBlocks; i++) {
      blocks[i] = shared(group.orElseThrow().pages(), i, pageBlocks);
    }
    for (int i = 0; i < ownBlocks; i++) {
      blocks[pageBlocks + i] = ((long) agent.hashCode() << 32) ^ (SPREAD * (i + 1));
    }
    return Optional.of(even(blocks, pages + own));
  }

  private static int blocks(long tokens, double blockTokens, int most) {
    return (int) Math.min(most, Math.ceil(tokens / blockTokens));
  }

  /** A block of the pages in their order, as if all were of the same size. */
  private static long shared(List<PageId> pages, int block, int blocks) {
    int page = (int) ((long) block * pages.size() / blocks);
    return ((long) pages.get(page).hashCode() << 32) ^ (SPREAD * (block + 1)) ^ 1;
  }

  static Ask even(long[] blocks, long tokens) {
    double[] ends = new double[blocks.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = (double) tokens * (i + 1) / ends.length;
    }
    return new Ask(
        blocks, ends, Math.max(1, tokens), 0, Optional.empty(), Optional.empty(), Set.of());
  }
}
