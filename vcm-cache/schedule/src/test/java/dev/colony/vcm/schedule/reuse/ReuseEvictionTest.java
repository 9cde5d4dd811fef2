package dev.colony.vcm.schedule.reuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocks go first whose next use is the least likely. */
class ReuseEvictionTest {

  private static final ReuseSettings SETTINGS = new ReuseSettings(3, 600, 50, 10_000);

  private final ReuseEviction reuse = new ReuseEviction(SETTINGS);
  private double now;
  private long next = 1_000_000;

  private static long[] chain(long from, int blocks) {
    return LongStream.range(from, from + blocks).toArray();
  }

  private ReuseEviction.Use call(long[] blocks) {
    ReuseEviction.Use use = reuse.arrived(blocks, now);
    reuse.ended(use, "r");
    return use;
  }

  /** Conversations whose first turn is seldom followed, and whose second always is in a minute. */
  @BeforeEach
  void learn() {
    for (int i = 0; i < 300; i++) {
      long from = next += 100;
      call(chain(from, 4));
      now += 1;
      if (i % 10 == 0) {
        call(chain(from, 6));
        now += 30;
        call(chain(from, 8));
      }
    }
    now += 10_000;
    // What was learned of all of them is summed up.
    for (int i = 0; i < SETTINGS.learnedEvery(); i++) {
      call(chain(next += 100, 1));
    }
    now += 10_000;
  }

  private long[] chosen(int needed, Set<Long> held) {
    ReuseEviction.Use use = reuse.arrived(chain(next += 100, 4), now);
    return reuse.choose("r", use, needed, held::contains, now);
  }

  private static Set<Long> held(long[]... chains) {
    Set<Long> held = new HashSet<>();
    for (long[] chain : chains) {
      Arrays.stream(chain).forEach(held::add);
    }
    return held;
  }

  @Test
  void aConversationThatHasGoneOnStaysAndOneThatHasNotGoesItsEndFirst() {
    long[] first = chain(1, 4);
    long[] second = chain(101, 4);
    long[] longer = chain(101, 6);
    call(second);
    now += 1;
    call(longer);
    now += 1;
    call(first);
    now += 5;
    assertThat(chosen(3, held(first, longer))).containsExactly(4, 3, 2);
  }

  @Test
  void onlyWhatIsHeldAndNotOwnGoes() {
    long[] first = chain(1, 4);
    call(first);
    now += 5;
    assertThat(chosen(10, Set.of(2L, 3L))).containsExactly(3, 2);
    ReuseEviction.Use again = reuse.arrived(chain(1, 6), now);
    assertThat(reuse.choose("r", again, 10, block -> true, now)).doesNotContain(1, 2, 3, 4, 5, 6);
  }

  @Test
  void aSharedBeginningBelongsToThePromptThatUsedItLast() {
    call(LongStream.concat(LongStream.range(1, 3), LongStream.range(50, 60)).toArray());
    call(LongStream.concat(LongStream.range(1, 3), LongStream.range(70, 80)).toArray());
    now += 5;
    long[] gone = chosen(12, held(chain(1, 2), chain(50, 10)));
    assertThat(gone).hasSize(12).startsWith(59, 58);
    assertThat(Arrays.copyOfRange(gone, 10, 12)).containsExactly(2, 1);
  }

  @Test
  void nothingIsChosenWhereNothingIsKnown() {
    ReuseEviction fresh = new ReuseEviction(SETTINGS);
    ReuseEviction.Use use = fresh.arrived(chain(1, 4), 0);
    assertThat(fresh.choose("r", use, 5, block -> true, 0)).isEmpty();
    fresh.ended(use, "r");
    ReuseEviction.Use other = fresh.arrived(chain(10, 4), 1);
    assertThat(fresh.choose("r", other, 5, block -> true, 1)).isEmpty();
    assertThat(chosen(0, held(chain(1, 4)))).isEmpty();
  }

  @Test
  void aReplicaThatIsGoneIsForgotten() {
    long[] first = chain(1, 4);
    call(first);
    now += 5;
    reuse.left("r");
    assertThat(chosen(4, held(first))).isEmpty();
  }
}
