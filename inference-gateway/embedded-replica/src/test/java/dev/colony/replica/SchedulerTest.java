package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.Scheduler.Limits;
import dev.colony.replica.Scheduler.Share;
import dev.colony.replica.Scheduler.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SchedulerTest {

  private static final int BLOCK = 4;

  /** Blocks stored and removed, as they were told. */
  private static final class Cache implements BlockPool.Listener {
    final List<Long> stored = new ArrayList<>();
    final List<Long> removed = new ArrayList<>();

    @Override
    public void stored(Sequence sequence, int first, int blocks) {
      for (int i = first; i < first + blocks; i++) {
        stored.add(sequence.chain()[i]);
      }
    }

    @Override
    public void removed(long hash, boolean last) {
      removed.add(hash);
    }

    @Override
    public void cleared() {
      stored.clear();
    }
  }

  private final Cache cache = new Cache();
  private BlockPool pool;

  @Test
  void aPromptIsComputedInChunksWhileOthersDecode() {
    Scheduler scheduler = scheduler(100, 8, 10);
    Sequence first = sequence(1, 4, 10);
    scheduler.add(first);
    step(scheduler);
    Sequence second = sequence(2, 24, 2);
    scheduler.add(second);

    assertThat(shares(step(scheduler))).containsExactly(List.of(4, 1), List.of(0, 9));
    assertThat(shares(step(scheduler))).containsExactly(List.of(5, 1), List.of(9, 9));
    assertThat(second.generated()).isZero();
    assertThat(shares(step(scheduler))).containsExactly(List.of(6, 1), List.of(18, 6));
    assertThat(second.generated()).isEqualTo(1);
    assertThat(first.generated()).isEqualTo(4);
  }

  @Test
  void waitingCallsBeginInTheOrderInWhichTheyCame() {
    Scheduler scheduler = scheduler(100, 2, 100);
    List<Sequence> all =
        IntStream.range(0, 4).mapToObj(i -> sequence(i, 8, i == 0 ? 1 : 5)).toList();
    all.forEach(scheduler::add);
    assertThat(sequences(step(scheduler))).containsExactly(all.get(0), all.get(1));
    assertThat(sequences(step(scheduler))).containsExactly(all.get(1), all.get(2));
    assertThat(scheduler.waiting()).isEqualTo(1);
  }

  @Test
  void aCallThatFindsNoRoomHoldsBackThoseBehindIt() {
    Scheduler scheduler = scheduler(10, 8, 100);
    scheduler.add(sequence(1, 24, 3));
    scheduler.add(sequence(2, 24, 1));
    scheduler.add(sequence(3, 4, 1));
    assertThat(shares(step(scheduler))).hasSize(1);
    assertThat(scheduler.waiting()).isEqualTo(2);
  }

  @Test
  void theCallThatBeganLastGivesItsBlocksUpAndBeginsAgain() {
    // Each prompt takes two blocks of the five, and each reply will need one more.
    Scheduler scheduler = scheduler(5, 8, 100);
    Sequence first = sequence(1, 8, 9);
    Sequence second = sequence(2, 8, 9);
    scheduler.add(first);
    scheduler.add(second);
    step(scheduler);

    Step squeezed = step(scheduler);

    assertThat(squeezed.preempted()).isEqualTo(1);
    assertThat(sequences(squeezed)).containsExactly(first);
    assertThat(second.preemptions()).isEqualTo(1);
    assertThat(scheduler.waiting()).isEqualTo(1);
    finish(scheduler, second);
    assertThat(first.over()).isTrue();
    assertThat(second.generated()).isEqualTo(9);
    assertThat(pool.free()).isEqualTo(5);
  }

  @Test
  void aPromptFindsTheFullBlocksOfAnotherAndComputesItsLastToken() {
    Scheduler scheduler = scheduler(100, 8, 100);
    run(scheduler, sequence(1, 16, 1));
    Sequence same = sequence(1, 16, 1);
    scheduler.add(same);
    assertThat(shares(step(scheduler))).containsExactly(List.of(12, 4));
    assertThat(same.hitTokens()).isEqualTo(12);
    assertThat(scheduler.hitTokens()).isEqualTo(12);
    assertThat(scheduler.queriedTokens()).isEqualTo(32);
  }

  @Test
  void blocksOfOneStepAreFoundByTheNextCallOfTheSameStep() {
    Scheduler scheduler = scheduler(100, 8, 100);
    scheduler.add(sequence(1, 16, 1));
    scheduler.add(sequence(1, 16, 1));
    assertThat(shares(step(scheduler))).containsExactly(List.of(0, 16), List.of(12, 4));
  }

  @Test
  void theReplyTakesBlocksTooAndItsLastTokenNone() {
    Scheduler scheduler = scheduler(100, 8, 100);
    Sequence call = sequence(1, 4, 5);
    run(scheduler, call);
    assertThat(cache.stored).containsExactly(call.chain()[0], call.chain()[1]);
    cache.stored.clear();
    Sequence shorter = sequence(2, 4, 4);
    run(scheduler, shorter);
    assertThat(cache.stored).containsExactly(shorter.chain()[0]);
  }

  @Test
  void releasedBlocksGoInTheOrderOfTheirReleaseTheEndOfAPromptFirst() {
    Scheduler scheduler = scheduler(4, 8, 100);
    Sequence first = sequence(1, 8, 1);
    Sequence second = sequence(2, 8, 1);
    run(scheduler, first);
    run(scheduler, second);
    run(scheduler, sequence(3, 12, 1));
    assertThat(cache.removed)
        .containsExactly(first.chain()[1], first.chain()[0], second.chain()[1]);
    assertThat(pool.contains(second.chain()[0])).isTrue();
  }

  @Test
  void aTouchedBlockIsReleasedAnew() {
    Scheduler scheduler = scheduler(4, 8, 100);
    Sequence first = sequence(1, 8, 1);
    run(scheduler, first);
    Sequence second = sequence(2, 8, 1);
    run(scheduler, second);
    // Finds the first block of the first call and computes the second one again.
    run(scheduler, sequence(1, 8, 1));
    assertThat(pool.contains(first.chain()[0])).isTrue();
    assertThat(cache.removed).containsExactly(first.chain()[1]);
  }

  @Test
  void saltsKeepBlocksApart() {
    Scheduler scheduler = scheduler(100, 8, 100);
    run(scheduler, new Sequence(tokens(1, 16), tokens(9, 1), BLOCK, "acme"));
    Sequence other = new Sequence(tokens(1, 16), tokens(9, 1), BLOCK, "other");
    Sequence same = new Sequence(tokens(1, 16), tokens(9, 1), BLOCK, "acme");
    run(scheduler, other);
    run(scheduler, same);
    assertThat(other.hitTokens()).isZero();
    assertThat(same.hitTokens()).isEqualTo(12);
  }

  @Test
  void anAbortedCallGivesItsBlocksBackAtOnce() {
    Scheduler scheduler = scheduler(10, 8, 100);
    Sequence running = sequence(1, 8, 5);
    scheduler.add(running);
    Step step = scheduler.schedule();
    scheduler.abort(running);
    assertThat(pool.free()).isEqualTo(10);
    assertThat(scheduler.complete(step)).isEmpty();
    assertThat(scheduler.running() + scheduler.waiting()).isZero();
  }

  @Test
  void aCacheInUseIsNotCleared() {
    Scheduler scheduler = scheduler(10, 8, 100);
    Sequence call = sequence(1, 8, 2);
    scheduler.add(call);
    step(scheduler);
    assertThat(pool.clear()).isFalse();
    step(scheduler);
    assertThat(pool.clear()).isTrue();
    assertThat(pool.contains(call.chain()[0])).isFalse();
    run(scheduler, sequence(3, 36, 1));
    assertThat(cache.removed).isEmpty();
  }

  @Test
  void aPromptBeginsOnlyWhereAllOfItFindsRoom() {
    Scheduler scheduler = scheduler(10, 8, 6);
    Sequence first = sequence(1, 24, 3);
    scheduler.add(first);
    scheduler.add(sequence(2, 24, 1));
    // The first prompt is done with the fourth step, which leaves room for a share of the second.
    for (int i = 0; i < 4; i++) {
      assertThat(sequences(step(scheduler))).containsExactly(first);
    }
    assertThat(first.generated()).isEqualTo(1);
    assertThat(sequences(step(scheduler))).containsExactly(first);
    assertThat(scheduler.waiting()).isEqualTo(1);
  }

  @Test
  void whatAHintNamesIsTakenFirstAndTheLastOfItBeforeTheRest() {
    Scheduler scheduler = scheduler(6, 8, 100);
    Sequence first = sequence(1, 8, 1);
    Sequence second = sequence(2, 16, 1);
    run(scheduler, first);
    run(scheduler, second);
    assertThat(pool.evictNext(new long[] {second.chain()[2], second.chain()[3], 77})).isEqualTo(2);
    run(scheduler, sequence(3, 12, 1));
    assertThat(cache.removed)
        .containsExactly(second.chain()[3], second.chain()[2], first.chain()[1]);
  }

  @Test
  void whatARunningCallUsesAHintLeavesAlone() {
    Scheduler scheduler = scheduler(6, 8, 100);
    Sequence running = sequence(1, 8, 3);
    scheduler.add(running);
    step(scheduler);
    assertThat(pool.evictNext(running.chain())).isZero();
    finish(scheduler, running);
    assertThat(pool.contains(running.chain()[1])).isTrue();
    assertThat(pool.free()).isEqualTo(6);
  }

  /** Every call ends, no block is lost, and what is told of the cache adds up to what it holds. */
  @Property(tries = 200)
  void blocksAreConserved(
      @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 0, max = 3999) Integer> calls,
      @ForAll @IntRange(min = 1, max = 12) int budget) {
    Scheduler scheduler = scheduler(12, 4, Math.max(4, budget));
    List<Sequence> all = new ArrayList<>();
    for (int call : calls) {
      Sequence sequence = sequence(call % 4, 1 + call / 4 % 30, 1 + call / 120 % 15);
      all.add(sequence);
      scheduler.add(sequence);
      if (call % 7 == 0) {
        scheduler.abort(all.get(call % all.size()));
      }
      step(scheduler);
    }
    for (int i = 0; i < 10_000 && scheduler.running() + scheduler.waiting() > 0; i++) {
      assertThat(step(scheduler).shares()).isNotEmpty();
    }
    assertThat(all).allMatch(Sequence::over);
    assertThat(pool.free()).isEqualTo(12);
    List<Long> left = new ArrayList<>(cache.stored);
    cache.removed.forEach(hash -> assertThat(left.remove(hash)).isTrue());
    assertThat(left).hasSizeLessThanOrEqualTo(12).allMatch(pool::contains);
  }

  private Scheduler scheduler(int blocks, int maxRunning, int budget) {
    cache.stored.clear();
    cache.removed.clear();
    pool = new BlockPool(blocks, cache);
    return new Scheduler(pool, new Limits(BLOCK, maxRunning, budget));
  }

  private static void run(Scheduler scheduler, Sequence sequence) {
    scheduler.add(sequence);
    finish(scheduler, sequence);
  }

  private static void finish(Scheduler scheduler, Sequence sequence) {
    for (int i = 0; i < 100 && !sequence.over(); i++) {
      step(scheduler);
    }
    assertThat(sequence.over()).isTrue();
  }

  private static Step step(Scheduler scheduler) {
    Step step = scheduler.schedule();
    scheduler.complete(step);
    return step;
  }

  private static List<List<Integer>> shares(Step step) {
    return step.shares().stream().map(share -> List.of(share.before(), share.tokens())).toList();
  }

  private static List<Sequence> sequences(Step step) {
    return step.shares().stream().map(Share::sequence).toList();
  }

  private static Sequence sequence(int name, int prompt, int reply) {
    return new Sequence(tokens(name, prompt), tokens(name + 1000, reply), BLOCK, "");
  }

  private static int[] tokens(int name, int count) {
    return IntStream.range(0, count).map(i -> name * 10_000 + i).toArray();
  }
}
