package dev.colony.vcm.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.schedule.CostRouter.Decision;
import dev.colony.vcm.schedule.ReplicaState.ToldBlocks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/**
 * What a cache holds: by the replica's word and by the estimate, against lists that are searched.
 */
class ResidencyTest {

  /** A cache as a list, the least recently used block first. */
  private static final class ListedCache {
    private final int capacity;
    private final List<Long> blocks = new ArrayList<>();

    ListedCache(int capacity) {
      this.capacity = capacity;
    }

    int prefix(long[] chain) {
      int held = 0;
      while (held < chain.length && blocks.contains(chain[held])) {
        held++;
      }
      return held;
    }

    void used(long[] chain) {
      for (int i = chain.length - 1; i >= 0; i--) {
        blocks.remove((Long) chain[i]);
        blocks.add(chain[i]);
      }
      while (blocks.size() > capacity) {
        blocks.removeFirst();
      }
    }
  }

  /** Conversations that grow, under a few common beginnings. */
  private static long[] prompt(Random random, int conversations) {
    int conversation = random.nextInt(conversations);
    return LongStream.concat(
            LongStream.of(conversation % 3),
            LongStream.range(0, 1 + random.nextInt(12)).map(i -> 1000L * (conversation + 1) + i))
        .toArray();
  }

  @Property(tries = 200)
  void theEstimateIsAnLruListOfItsSize(
      @ForAll @IntRange(min = 1, max = 60) int size, @ForAll long seed) {
    Random random = new Random(seed);
    EstimatedBlocks estimate = new EstimatedBlocks(size, 61);
    ListedCache listed = new ListedCache(size);
    for (int step = 0; step < 300; step++) {
      long[] chain = prompt(random, 20);
      assertThat(estimate.prefix(chain)).isEqualTo(listed.prefix(chain));
      estimate.used(chain);
      listed.used(chain);
    }
  }

  @Property(tries = 30)
  void theSizeIsLearnedFromWhatRepliesSayWasCached(
      @ForAll @IntRange(min = 40, max = 400) int capacity,
      @ForAll @IntRange(min = 1, max = 2000) int believed,
      @ForAll long seed) {
    Random random = new Random(seed);
    EstimatedBlocks estimate = new EstimatedBlocks(believed, 2000);
    ListedCache server = new ListedCache(capacity);
    for (int step = 0; step < 2000; step++) {
      long[] chain = prompt(random, 100);
      int[] ages = estimate.ages(chain);
      estimate.cached(ages, server.prefix(chain));
      server.used(chain);
      estimate.used(chain);
    }
    assertThat(estimate.size()).isCloseTo(capacity, Percentage.withPercentage(20));
  }

  @Test
  void whatIsNoEvidenceTeachesNothing() {
    EstimatedBlocks estimate = new EstimatedBlocks(10, 100);
    estimate.cached(estimate.ages(new long[] {1, 2}), 0);
    estimate.cached(new int[] {-1, -1}, 1);
    assertThat(estimate.size()).isEqualTo(10);
  }

  @Test
  void whereNothingIsEverCachedTheEstimateComesToHoldNothing() {
    EstimatedBlocks estimate = new EstimatedBlocks(1000, 1000);
    long[] chain = LongStream.range(0, 50).toArray();
    for (int i = 0; i < 200; i++) {
      int[] ages = estimate.ages(chain);
      estimate.used(chain);
      estimate.cached(ages, 0);
    }
    assertThat(estimate.prefix(chain)).isLessThanOrEqualTo(1);
  }

  @Test
  void anEmptiedCacheKeepsTheSizeThatWasLearned() {
    EstimatedBlocks estimate = new EstimatedBlocks(7, 100);
    estimate.used(new long[] {1, 2, 3});
    estimate.cleared();
    assertThat(estimate.prefix(new long[] {1})).isZero();
    assertThat(estimate.size()).isEqualTo(7);
  }

  @Property(tries = 200)
  void whatAReplicaSaysIsTakenAtItsWordAndTheRestIsEstimated(@ForAll long seed) {
    Random random = new Random(seed);
    ClusterState state =
        new ClusterState(new ScheduleSettings(new PrefillSpeed(1000, 1000), 8, 1, 1, 1000, 1000));
    state.join("a");
    Map<Long, Boolean> told = new HashMap<>();
    Set<Long> used = new HashSet<>();
    for (int step = 0; step < 200; step++) {
      long[] chain = prompt(random, 10);
      switch (random.nextInt(12)) {
        case 0 -> {
          state.cleared("a");
          told.clear();
          used.clear();
        }
        case 1 -> {
          state.missed("a");
          told.clear();
        }
        case 2, 3, 4 -> {
          long last = chain[chain.length - 1];
          state.removed("a", last);
          told.put(last, false);
        }
        case 5, 6, 7 -> {
          Ask ask = Ask.even(chain, 16, 1000);
          state.ended(
              state.dispatched(ask, new Decision.Run("a", 0, 0, 1), step, false), step, true);
          LongStream.of(chain).forEach(used::add);
        }
        default -> {
          state.stored("a", chain);
          LongStream.of(chain).forEach(block -> told.put(block, true));
        }
      }
      long[] asked = prompt(random, 10);
      int held = 0;
      while (held < asked.length && told.getOrDefault(asked[held], used.contains(asked[held]))) {
        held++;
      }
      Residency residency =
          state.snapshot(step, id -> ClusterSnapshot.Access.OPEN).replicas().getFirst().residency();
      assertThat(residency.prefix(asked)).isEqualTo(held);
      assertThat(residency.knows(asked[0]))
          .isEqualTo(told.containsKey(asked[0]) || used.contains(asked[0]));
    }
  }

  @Test
  void ofWhatWasSaidTheOldestIsForgottenFirst() {
    ToldBlocks told = new ToldBlocks(2);
    told.told(1, true);
    told.told(2, false);
    told.told(1, true);
    told.told(3, true);
    assertThat(List.of(told.holds(1), told.holds(2), told.holds(3)))
        .containsExactly(Optional.of(true), Optional.empty(), Optional.of(true));
  }
}
