package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.BlockPool.BlockHashes;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class BlockHashesTest {

  @Property
  void onlyFullBlocksAreNamed(
      @ForAll @Size(max = 100) int[] tokens, @ForAll @IntRange(min = 1, max = 20) int blockTokens) {
    assertThat(BlockHashes.chain(tokens, blockTokens)).hasSize(tokens.length / blockTokens);
  }

  @Property
  void aChangedTokenRenamesItsBlockAndAllAfterIt(
      @ForAll @Size(min = 40, max = 40) int[] tokens,
      @ForAll @IntRange(min = 0, max = 39) int at,
      @ForAll @IntRange(min = 1, max = Integer.MAX_VALUE) int by) {
    int[] changed = tokens.clone();
    changed[at] += by;
    long[] before = BlockHashes.chain(tokens, 4);
    long[] after = BlockHashes.chain(changed, 4);
    int block = at / 4;
    assertThat(Arrays.copyOf(after, block)).isEqualTo(Arrays.copyOf(before, block));
    for (int i = block; i < before.length; i++) {
      assertThat(after[i]).isNotEqualTo(before[i]);
    }
  }
}
