package dev.colony.blackboard.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.colony.blackboard.clock.ClusterClock.ClockSkew;
import dev.colony.blackboard.clock.ClusterClock.TimeStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ClusterClockTest {

  private static final Instant BEGUN = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final FakeStore store = new FakeStore(BEGUN);

  @Test
  void processesWhoseWallClocksDifferHaveOneTime() {
    FakeProcess one = new FakeProcess(store, BEGUN.plus(Duration.ofMinutes(10)), 5);
    FakeProcess other =
        new FakeProcess(store, BEGUN.minus(Duration.ofMinutes(10)), -7_000_000_000L);
    assertThat(one.now()).isEqualTo(BEGUN);
    assertThat(other.now()).isEqualTo(BEGUN);
    for (int second = 0; second < 100; second++) {
      pass(SECOND, one, other);
    }
    assertThat(one.now()).isCloseTo(BEGUN.plusSeconds(100), within(2, ChronoUnit.MILLIS));
    assertThat(other.now()).isCloseTo(one.now(), within(2, ChronoUnit.MILLIS));
    assertThat(one.clock.skew().node()).isCloseTo(Duration.ofMinutes(10), Duration.ofMillis(2));
    assertThat(other.clock.skew().node()).isCloseTo(Duration.ofMinutes(-10), Duration.ofMillis(2));
  }

  @Test
  void aProcessWhoseFirstAnswerTookLongAsksAgainBeforeItBegins() {
    long[] nanos = {0};
    Deque<Duration> waits = new ArrayDeque<>(List.of(SECOND, Duration.ofMillis(1)));
    TimeStore far =
        mine -> {
          TimeStore.Reading answer = store.agree(mine).toCompletableFuture().join();
          Duration wait = waits.remove();
          store.passes(wait);
          nanos[0] += wait.toNanos();
          return CompletableFuture.completedStage(answer);
        };
    FakeProcess ahead = new FakeProcess(store, BEGUN, 0);
    ahead.passes(SECOND.plusMillis(1));
    ClusterClock begun = ClusterClock.agreed(far, SECOND, () -> nanos[0], () -> BEGUN);
    assertThat(waits).isEmpty();
    assertThat(begun.instant()).isCloseTo(ahead.now(), within(1, ChronoUnit.MILLIS));
  }

  @Test
  void aStoreThatWasHeldUpIsNotTakenForOneWhoseClockIsWrong() {
    long[] nanos = {0};
    Deque<Duration> holds =
        new ArrayDeque<>(List.of(Duration.ZERO, Duration.ofSeconds(10), Duration.ZERO));
    TimeStore held =
        mine -> {
          Duration hold = holds.remove();
          store.passes(hold);
          nanos[0] += hold.toNanos();
          return store.agree(mine);
        };
    ClusterClock clock =
        ClusterClock.agreed(held, SECOND, () -> nanos[0], () -> BEGUN.plusNanos(nanos[0]));
    List<ClockSkew> heard = new ArrayList<>();
    clock.onSkew(heard::add);
    clock.sync();
    assertThat(heard).as("of a late answer").isEmpty();
    clock.sync();
    assertThat(heard).singleElement().extracting(ClockSkew::store).isEqualTo(Duration.ZERO);
  }

  @Test
  void stepsOfAWallClockAreSeenAsSkewAndMoveNothing() {
    FakeProcess one = new FakeProcess(store, BEGUN, 0);
    one.stepped(HOUR);
    pass(SECOND, one);
    assertThat(one.now()).isCloseTo(BEGUN.plusSeconds(1), within(1, ChronoUnit.MILLIS));
    assertThat(one.clock.skew().node()).isCloseTo(HOUR, Duration.ofMillis(1));
    one.stepped(HOUR.multipliedBy(-2));
    pass(SECOND, one);
    assertThat(one.now()).isCloseTo(BEGUN.plusSeconds(2), within(1, ChronoUnit.MILLIS));
    assertThat(one.clock.skew().node()).isCloseTo(HOUR.negated(), Duration.ofMillis(1));
  }

  @Test
  void aStepOfTheStoresClockHasTimeGoFivePercentOffAtMost() {
    for (Duration step : List.of(HOUR, HOUR.negated())) {
      FakeStore stepped = new FakeStore(BEGUN);
      FakeProcess one = new FakeProcess(stepped, BEGUN, 0);
      stepped.stepped(step);
      for (int second = 0; second < 1_000; second++) {
        one.passes(SECOND);
        stepped.passes(SECOND);
        one.sync();
      }
      Duration gone = Duration.between(BEGUN, one.now());
      assertThat(gone).isBetween(Duration.ofSeconds(949), Duration.ofSeconds(1_051));
      assertThat(gone.minusSeconds(1_000).abs())
          .as("it is made good, as fast as that")
          .isGreaterThan(Duration.ofSeconds(49));
      assertThat(one.clock.skew().store())
          .isCloseTo(Duration.between(one.now(), BEGUN.plusSeconds(1_000).plus(step)), SECOND);
    }
  }

  @Test
  void aSmallDifferenceIsMadeGood() {
    FakeProcess one = new FakeProcess(store, BEGUN, 0);
    store.stepped(SECOND);
    for (int second = 0; second < 600; second++) {
      pass(SECOND, one);
    }
    assertThat(one.now()).isCloseTo(BEGUN.plusSeconds(601), within(5, ChronoUnit.MILLIS));
  }

  @Test
  void whileTheStoreIsAwayTimeGoesOnByTheProcess() {
    FakeProcess one = new FakeProcess(store, BEGUN, 0);
    store.stepped(HOUR);
    one.sync();
    store.away(true);
    for (int second = 0; second < 1_000; second++) {
      pass(SECOND, one);
    }
    assertThat(one.now())
        .as("what was to be made good is, for three intervals")
        .isCloseTo(BEGUN.plusSeconds(1_000), within(151, ChronoUnit.MILLIS));
    store.away(false);
    one.sync();
    assertThat(store.stored().orElseThrow().cluster())
        .isCloseTo(one.now(), within(1, ChronoUnit.MILLIS));
  }

  @Test
  void aStoreThatWentBackLearnsTheTimeAgain() {
    FakeProcess one = new FakeProcess(store, BEGUN, 0);
    Optional<TimeStore.Reading> earlier = store.stored();
    for (int second = 0; second < 60; second++) {
      pass(SECOND, one);
    }
    store.wentBack(earlier);
    one.sync();
    assertThat(store.stored().orElseThrow().cluster())
        .isCloseTo(BEGUN.plusSeconds(60), within(1, ChronoUnit.MILLIS));
    store.wentBack(Optional.empty());
    one.sync();
    assertThat(store.stored().orElseThrow().cluster())
        .isCloseTo(BEGUN.plusSeconds(60), within(1, ChronoUnit.MILLIS));
  }

  @Test
  void afterAllHaveEndedTheStoresClockSaysForHowLong() {
    pass(SECOND, new FakeProcess(store, BEGUN, 0));
    store.passes(HOUR);
    FakeProcess next = new FakeProcess(store, BEGUN.minus(HOUR), 99);
    assertThat(next.now()).isCloseTo(BEGUN.plusSeconds(1).plus(HOUR), within(1, ChronoUnit.MILLIS));
    store.stepped(HOUR.multipliedBy(-3));
    assertThat(new FakeProcess(store, BEGUN, 0).now()).as("never backwards").isEqualTo(next.now());
  }

  @Test
  void aProcessThatCannotAskDoesNotStart() {
    store.away(true);
    assertThatThrownBy(() -> new FakeProcess(store, BEGUN, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the store is away");
  }

  /** Any order of what may happen to clocks and store. */
  @Test
  void timeNeverGoesBackwardsAndIsNeverFarFromWhatHasGoneBy() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      FakeStore any = new FakeStore(BEGUN);
      List<FakeProcess> processes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        processes.add(
            new FakeProcess(any, BEGUN.plusSeconds(random.nextInt(7_200)), random.nextLong() >> 2));
      }
      Duration gone = Duration.ZERO;
      List<Instant> before = new ArrayList<>(processes.stream().map(FakeProcess::now).toList());
      Optional<TimeStore.Reading> earlier = any.stored();
      for (int step = 0; step < 300; step++) {
        switch (random.nextInt(8)) {
          case 0 -> any.stepped(HOUR.multipliedBy(random.nextInt(5) - 2));
          case 1 ->
              processes.get(random.nextInt(3)).stepped(HOUR.multipliedBy(random.nextInt(5) - 2));
          case 2 -> any.away(random.nextBoolean());
          case 3 -> any.wentBack(earlier);
          case 4 -> earlier = any.stored();
          default -> {
            Duration time = Duration.ofMillis(random.nextInt(3_000));
            gone = gone.plus(time);
            any.passes(time);
            processes.forEach(one -> one.passes(time));
            processes.stream().filter(one -> random.nextInt(4) > 0).forEach(FakeProcess::sync);
          }
        }
        for (int i = 0; i < 3; i++) {
          Instant now = processes.get(i).now();
          assertThat(now).as("seed %d, step %d", seed, step).isAfterOrEqualTo(before.get(i));
          Duration off = Duration.between(BEGUN, now).minus(gone).abs();
          assertThat(off)
              .as("seed %d, step %d", seed, step)
              .isLessThanOrEqualTo(gone.dividedBy(20).plusMillis(2));
          before.set(i, now);
        }
      }
    }
  }

  private void pass(Duration time, FakeProcess... processes) {
    store.passes(time);
    for (FakeProcess one : processes) {
      one.passes(time);
    }
    for (FakeProcess one : processes) {
      one.sync();
    }
  }
}
