package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which blocks of the engine hold which blocks of text. */
class BlockMatcherTest {

  private final Set<Long> held = new HashSet<>();
  private final List<String> said = new ArrayList<>();

  private final BlockMatcher matcher =
      new BlockMatcher(
          1000,
          new BlockMatcher.Listener() {
            @Override
            public void stored(long[] chain) {
              Arrays.stream(chain).forEach(held::add);
            }

            @Override
            public void removed(long block) {
              held.remove(block);
            }

            @Override
            public void cleared() {
              held.clear();
              said.add("cleared");
            }

            @Override
            public void missed() {
              said.add("missed");
            }
          });

  private static BlockMatcher.Sent sent(BlockMatcher matcher, long... chain) {
    double[] ends = new double[chain.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = i + 1;
    }
    return matcher.sent(chain, ends, Optional.empty());
  }

  private void stores(OptionalLong parent, Long... blocks) {
    matcher.heard(new KvEvent.Stored(List.of(blocks), parent, 16));
  }

  private void stores(String session, Long... blocks) {
    matcher.heard(
        new KvEvent.Stored(List.of(blocks), OptionalLong.empty(), 16, Optional.of(session)));
  }

  /** Prompts of the same length at the same time, which nothing but their sessions tells apart. */
  @Test
  void whereTheEngineNamesSessionsEachPromptHasTheBlocksOfItsOwn() {
    double[] ends = {1, 2};
    BlockMatcher.Sent one = matcher.sent(new long[] {-1, -2}, ends, Optional.of("one"));
    BlockMatcher.Sent two = matcher.sent(new long[] {-3, -4}, ends, Optional.of("two"));
    BlockMatcher.Sent late = matcher.sent(new long[] {-5, -6}, ends, Optional.of("late"));
    stores("one", 1L, 2L);
    stores("two", 3L, 4L);
    assertThat(matcher.answered(one, 32, OptionalLong.empty())).isTrue();
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
    assertThat(matcher.answered(late, 32, OptionalLong.of(32))).isFalse();
    assertThat(matcher.answered(two, 32, OptionalLong.empty())).isTrue();
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L, -3L, -4L);
    stores("another", 7L, 8L);
    assertThat(held).hasSize(4);
    // found stored: the engine tells of it again
    stores("late", 1L, 2L);
    assertThat(held).contains(-5L, -6L);
  }

  @Test
  void theBlockAtThePromptsDepthThatWasStoredMeanwhileIsItsLast() {
    BlockMatcher.Sent sent = sent(matcher, new long[] {-1, -2});
    stores(OptionalLong.empty(), 1L, 2L, 3L, 4L);
    // the reply's own blocks go on behind it
    stores(OptionalLong.of(4), 5L);
    assertThat(matcher.answered(sent, 64 + 7, OptionalLong.empty())).isTrue();
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);

    // the first block of text ends in the engine's second one
    matcher.heard(new KvEvent.Removed(List.of(3L)));
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
    matcher.heard(new KvEvent.Removed(List.of(4L)));
    assertThat(held).containsExactly(-1L);
    matcher.heard(new KvEvent.Removed(List.of(2L)));
    assertThat(held).isEmpty();
    stores(OptionalLong.of(1), 2L, 3L, 4L);
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
  }

  @Test
  void blocksOfTextStandWhereTheirTokensDo() {
    BlockMatcher.Sent sent =
        matcher.sent(new long[] {-1, -2}, new double[] {10, 100}, Optional.empty());
    stores(OptionalLong.empty(), 1L, 2L, 3L, 4L);
    assertThat(matcher.answered(sent, 64, OptionalLong.empty())).isTrue();
    matcher.heard(new KvEvent.Removed(List.of(2L, 3L)));
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
    matcher.heard(new KvEvent.Removed(List.of(1L)));
    assertThat(held).containsExactly(-2L);
  }

  @Test
  void promptsOfTheSameLengthAtTheSameTimeAreToldApartByTheirBeginningsOrNotAtAll() {
    BlockMatcher.Sent pages = sent(matcher, new long[] {-1});
    stores(OptionalLong.empty(), 1L, 2L);
    assertThat(matcher.answered(pages, 32, OptionalLong.empty())).isTrue();

    BlockMatcher.Sent known = sent(matcher, new long[] {-1, -2});
    BlockMatcher.Sent unknown = sent(matcher, new long[] {-8, -9});
    stores(OptionalLong.of(2), 3L, 4L);
    stores(OptionalLong.empty(), 11L, 12L, 13L, 14L);
    assertThat(matcher.answered(unknown, 64, OptionalLong.empty())).isFalse();
    assertThat(held).containsExactly(-1L);
    assertThat(matcher.answered(known, 64, OptionalLong.empty())).isTrue();
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
  }

  @Test
  void blocksOfWhichTheBeginningWasNotHeardAreNotMatched() {
    BlockMatcher.Sent sent = sent(matcher, new long[] {-1});
    stores(OptionalLong.of(77), 1L, 2L);
    assertThat(matcher.answered(sent, 32, OptionalLong.empty())).isFalse();
    assertThat(matcher.answered(sent, 15, OptionalLong.empty())).isFalse();
    assertThat(held).isEmpty();
  }

  @Test
  void whatWasStoredBeforeThePromptWasSentIsNotIts() {
    stores(OptionalLong.empty(), 1L, 2L);
    assertThat(matcher.answered(sent(matcher, new long[] {-1}), 32, OptionalLong.empty()))
        .isFalse();
  }

  @Test
  void anEmptiedCacheAndMissedEventsAreHandedOn() {
    BlockMatcher.Sent sent = sent(matcher, new long[] {-1});
    stores(OptionalLong.empty(), 1L);
    matcher.answered(sent, 16, OptionalLong.empty());
    matcher.heard(new KvEvent.Missed());
    matcher.heard(new KvEvent.Removed(List.of(1L)));
    assertThat(held).as("what is not matched any more").containsExactly(-1L);
    matcher.heard(new KvEvent.Cleared());
    assertThat(said).containsExactly("missed", "cleared");
    assertThat(held).isEmpty();
  }

  @Test
  void whatIsKnownIsBounded() {
    BlockMatcher small =
        new BlockMatcher(
            2,
            new BlockMatcher.Listener() {
              @Override
              public void stored(long[] chain) {}

              @Override
              public void removed(long block) {
                said.add("removed " + block);
              }

              @Override
              public void cleared() {}

              @Override
              public void missed() {}
            });
    for (long i = 1; i <= 3; i++) {
      BlockMatcher.Sent sent = sent(small, new long[] {-i});
      small.heard(new KvEvent.Stored(List.of(i), OptionalLong.empty(), 16));
      assertThat(small.answered(sent, 16, OptionalLong.empty())).isTrue();
    }
    for (long i = 1; i <= 3; i++) {
      small.heard(new KvEvent.Removed(List.of(i)));
    }
    assertThat(said).containsExactly("removed -2", "removed -3");
  }

  /** Replies and events come by different ways. */
  @Test
  void eventsThatComeAfterTheReplyTellToo() {
    BlockMatcher.Sent first = sent(matcher, new long[] {-1, -2});
    BlockMatcher.Sent second = sent(matcher, new long[] {-3});
    assertThat(matcher.answered(first, 64, OptionalLong.empty())).isFalse();
    assertThat(matcher.answered(second, 40, OptionalLong.of(0))).isFalse();
    stores(OptionalLong.empty(), 1L, 2L, 3L);
    assertThat(held).isEmpty();
    stores(OptionalLong.of(3), 4L);
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
    stores(OptionalLong.empty(), 11L, 12L);
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L, -3L);
    matcher.heard(new KvEvent.Removed(List.of(12L)));
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
  }

  /** It would be taken for the next prompt of its length. */
  @Test
  void aPromptThatStoresNothingWaitsForNoEvents() {
    stores(OptionalLong.empty(), 1L, 2L, 3L, 4L);
    BlockMatcher.Sent cached = sent(matcher, new long[] {-1, -2});
    assertThat(matcher.answered(cached, 64 + 7, OptionalLong.of(64))).isFalse();
    stores(OptionalLong.empty(), 11L, 12L, 13L, 14L);
    assertThat(held).isEmpty();

    BlockMatcher.Sent lost = sent(matcher, new long[] {-5});
    assertThat(matcher.answered(lost, 64, OptionalLong.empty())).isFalse();
    for (long i = 100; i < 116; i++) {
      stores(OptionalLong.empty(), i);
    }
    stores(OptionalLong.empty(), 21L, 22L, 23L, 24L);
    assertThat(held).isEmpty();
  }

  /** Its last block at the engine has some of what goes on behind it. */
  @Test
  void aSharedBeginningIsHeldAsLongAsOneOfThoseWhoShareItIs() {
    BlockMatcher.Sent first =
        matcher.sent(new long[] {-1, -2}, new double[] {1, 100}, Optional.empty());
    stores(OptionalLong.empty(), 1L, 2L);
    assertThat(matcher.answered(first, 32, OptionalLong.empty())).isTrue();
    BlockMatcher.Sent second =
        matcher.sent(new long[] {-1, -3}, new double[] {1, 100}, Optional.empty());
    stores(OptionalLong.empty(), 11L, 12L);
    assertThat(matcher.answered(second, 32, OptionalLong.empty())).isTrue();

    matcher.heard(new KvEvent.Removed(List.of(12L, 11L)));
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
    matcher.heard(new KvEvent.Removed(List.of(2L, 1L)));
    assertThat(held).isEmpty();
    stores(OptionalLong.empty(), 1L, 2L);
    assertThat(held).containsExactlyInAnyOrder(-1L, -2L);
  }
}
