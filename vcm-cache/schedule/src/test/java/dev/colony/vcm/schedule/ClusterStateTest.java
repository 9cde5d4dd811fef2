package dev.colony.vcm.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterSnapshot.Load;
import dev.colony.vcm.schedule.ClusterSnapshot.Replica;
import dev.colony.vcm.schedule.ClusterState.Backlog;
import dev.colony.vcm.schedule.ClusterState.Dispatch;
import dev.colony.vcm.schedule.CostRouter.Decision.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is known of replicas follows calls, replicas' words and other gateways' reports. */
class ClusterStateTest {

  private static final PrefillSpeed SPEED = new PrefillSpeed(1000, Double.POSITIVE_INFINITY);
  private static final long[] CHAIN = {1, 2, 3, 4};

  private ClusterState state;

  @BeforeEach
  void twoReplicas() {
    state = state();
  }

  private static ClusterState state() {
    ClusterState state = new ClusterState(new ScheduleSettings(SPEED, 64, 10, 1, 100, 100));
    state.join("a");
    state.join("b");
    return state;
  }

  private static Ask ask(long[] chain) {
    return Ask.even(chain, 1000, 1000L * chain.length);
  }

  private Dispatch send(String replica, double at, double seconds, boolean tells) {
    return state.dispatched(ask(CHAIN), new Run(replica, 0, 0, seconds), at, tells);
  }

  private Replica seen(String replica, double at) {
    return state.snapshot(at, id -> Access.OPEN).replicas().stream()
        .filter(one -> one.id().equals(replica))
        .findFirst()
        .orElseThrow();
  }

  private double backlog(double at) {
    return seen("a", at).load().backlogSeconds();
  }

  @Test
  void aBacklogShrinksWhileItIsWorkedOffAndEndsWithTheFirstToken() {
    Dispatch first = send("a", 0, 4, true);
    send("a", 1, 2, true);
    assertThat(backlog(1)).isEqualTo(5);
    assertThat(backlog(3)).isEqualTo(3);
    // overdue: what comes behind it has not begun
    assertThat(backlog(9)).isEqualTo(2);
    state.firstToken(first, 10);
    assertThat(backlog(10)).isEqualTo(2);
    assertThat(backlog(11)).isEqualTo(1);
    assertThat(seen("b", 11).load().backlogSeconds()).isZero();
  }

  @Test
  void oneThatHasNotAnsweredIsTakenToBeAsFastAsTheFastestOfItsModel() {
    state.join("c", "another model");
    for (String replica : List.of("a", "b")) {
      double seconds = replica.equals("a") ? 2 : 8;
      Dispatch sent = send(replica, 0, 4, true);
      state.firstToken(sent, seconds);
      state.ended(sent, seconds, true);
      // Of one answer after the next its batch is known.
      state.firstToken(send(replica, 10, 4, true), 10 + seconds);
    }
    state.join("d");
    assertThat(seen("a", 20).speed().tokensPerSecond()).isEqualTo(2000);
    assertThat(seen("b", 20).speed().tokensPerSecond()).isEqualTo(500);
    assertThat(seen("c", 20).speed()).isEqualTo(SPEED);
    assertThat(seen("d", 20).speed()).isEqualTo(seen("a", 20).speed());
  }

  @Test
  void whatFirstTokensComeLateByIsAStallWhileThereAreCalls() {
    state.computes("a", SPEED);
    Dispatch late = send("a", 0, 4, true);
    send("a", 0, 4, true);
    assertThat(seen("a", 0).load().stallSeconds()).isZero();
    state.firstToken(late, 14);
    Load load = seen("a", 14).load();
    assertThat(load.stallSeconds()).as("a fifth of 10 s").isEqualTo(2, within(1e-9));
    assertThat(load.waiting()).isEqualTo(1);
    assertThat(load.replying()).isEqualTo(1);
    state.reported("other", List.of(new Backlog("a", 3, 1, 3)), 14);
    assertThat(seen("a", 14).load().waiting()).isEqualTo(2);
    assertThat(seen("a", 14).load().replying()).isEqualTo(3);
    assertThat(seen("b", 14).load()).isEqualTo(Load.NONE);
  }

  @Test
  void promptsThatAreComputedTogetherShowASpeedTogether() {
    double at = 0;
    for (int round = 0; round < 12; round++) {
      List<Dispatch> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(send("a", at, 4, true));
      }
      // 16,000 tokens at 400 a second; all first tokens come when the last prompt is computed
      at += 40;
      for (int i = 0; i < 4; i++) {
        state.firstToken(all.get(i), at + i / 1000.0);
      }
      for (Dispatch one : all) {
        state.cached(one, 0);
        state.ended(one, at + 1, true);
      }
      at += 2;
    }
    assertThat(seen("a", at).speed().tokensPerSecond())
        .isCloseTo(400, Percentage.withPercentage(2));
    assertThat(seen("a", at).load().stallSeconds()).isZero();
  }

  /** Where first tokens are not told of: one server, first come first served. */
  @Property(tries = 200)
  void withoutFirstTokensTheBacklogIsThatOfAQueue(@ForAll long seed) {
    state = state();
    Random random = new Random(seed);
    double now = 0;
    double busyUntil = 0;
    for (int i = 0; i < 100; i++) {
      now += random.nextDouble() * 2;
      assertThat(backlog(now)).isEqualTo(Math.max(0, busyUntil - now), within(1e-6));
      double seconds = 0.01 + random.nextDouble() * 2;
      send("a", now, seconds, false);
      busyUntil = Math.max(busyUntil, now) + seconds;
    }
  }

  @Test
  void blocksOfPromptsInFlightCountAsCachedAndOfUnansweredOnesNotAfterwards() {
    Dispatch lost = send("a", 0, 4, true);
    assertThat(seen("a", 0).residency().prefix(CHAIN)).isEqualTo(4);
    assertThat(seen("b", 0).residency().prefix(CHAIN)).isZero();
    state.ended(lost, 1, false);
    assertThat(seen("a", 1).residency().prefix(CHAIN)).isZero();
    assertThat(backlog(1)).isZero();
    assertThat(seen("a", 1).load().calls()).isZero();

    state.ended(send("a", 2, 4, true), 9, true);
    assertThat(seen("a", 9).residency().prefix(CHAIN)).isEqualTo(4);
  }

  @Test
  void aSpeedThatIsToldCountsBeforeTheOneThatWouldBeLearned() {
    PrefillSpeed told = new PrefillSpeed(3_000, 50_000);
    state.computes("a", told);
    state.computes("nowhere", told);
    for (int i = 0; i < 64; i++) {
      // Whatever comes of the calls as they are heard of here.
      state.firstToken(send("a", 10 * i, 4, true), 10 * i + 0.001);
    }
    assertThat(state.speed("a")).isEqualTo(told);
    assertThat(state.speed("nowhere")).isEqualTo(state.settings().prior());
  }

  @Test
  void aReplicaIsTakenAtItsWordBeforeTheEstimate() {
    state.ended(send("a", 0, 4, true), 1, true);
    state.removed("a", 3);
    assertThat(seen("a", 1).residency().prefix(CHAIN)).isEqualTo(2);
    state.stored("b", CHAIN);
    assertThat(seen("b", 1).residency().prefix(CHAIN)).isEqualTo(4);
    state.missed("a");
    assertThat(seen("a", 1).residency().prefix(CHAIN)).isEqualTo(4);
    state.cleared("a");
    assertThat(seen("a", 1).residency().prefix(CHAIN)).isZero();
  }

  @Test
  void speedIsLearnedFromFirstTokensOfOneQueue() {
    PrefillSpeed truth = new PrefillSpeed(4000, Double.POSITIVE_INFINITY);
    double now = 0;
    for (int i = 0; i < 20; i++) {
      // Two at once: the second one's time begins when the first is done.
      Dispatch one = state.dispatched(ask(new long[] {10 + i}), new Run("a", 0, 0, 1), now, true);
      Dispatch two =
          state.dispatched(ask(new long[] {90 + i, 7}), new Run("a", 0, 0, 2), now, true);
      now += truth.seconds(1000, 0);
      state.firstToken(one, now);
      now += truth.seconds(2000, 0);
      state.firstToken(two, now);
      state.cached(one, 0);
      state.cached(two, 0);
      now += 100;
      state.ended(one, now, true);
      state.ended(two, now, true);
    }
    assertThat(seen("a", now).speed().seconds(1000, 0))
        .isCloseTo(truth.seconds(1000, 0), Percentage.withPercentage(3));
    assertThat(seen("a", now).speed().seconds(2000, 0))
        .isCloseTo(truth.seconds(2000, 0), Percentage.withPercentage(3));
  }

  @Test
  void whatOtherGatewaysReportCountsAndIsWorkedOffAndExpires() {
    state.reported("g2", List.of(new Backlog("a", 5, 2, 3)), 0);
    state.reported("g3", List.of(new Backlog("a", 0.5, 1, 1)), 0);
    assertThat(backlog(0)).isEqualTo(5.5);
    assertThat(backlog(0.75)).isEqualTo(4.25);
    state.reported("g2", List.of(), 0.8);
    assertThat(backlog(0.8)).isZero();
    state.reported("g2", List.of(new Backlog("a", 5, 2, 3)), 1);
    assertThat(backlog(2.1)).as("silent for longer than a report counts").isZero();
  }

  @Test
  void callsThatNoGatewayKnowsOfCountAsAverage() {
    send("a", 0, 2, true);
    state.reported("g2", List.of(new Backlog("a", 0, 0, 1)), 0);
    state.measured("a", 2, 0, 0);
    assertThat(backlog(0)).as("both are known").isEqualTo(2);
    state.measured("a", 1, 1, 0);
    assertThat(backlog(0)).as("both are known, one of them waits").isEqualTo(2);
    state.measured("a", 3, 2, 0);
    assertThat(backlog(0)).as("of five, two wait and three are unknown").isEqualTo(2 + 2 * 2);
    state.measured("a", 9, 0, 0);
    assertThat(backlog(0)).as("none of them waits").isEqualTo(2);
  }

  @Test
  void theLengthOfQueuesIsAveragedOverTime() {
    send("a", 0, 50, true);
    send("a", 0, 50, true);
    assertThat(state.snapshot(0, id -> Access.OPEN).queueLength()).isZero();
    // one call waits for each replica: after the averaging time 1 - 1/e of it is in
    assertThat(state.snapshot(10, id -> Access.OPEN).queueLength())
        .isEqualTo(1 - 1 / Math.E, within(1e-6));
    assertThat(state.snapshot(1000, id -> Access.OPEN).queueLength()).isEqualTo(1, within(1e-6));
  }

  @Test
  void whatIsReportedIsOnesOwn() {
    send("a", 0, 4, true);
    state.reported("g2", List.of(new Backlog("b", 5, 2, 3)), 0);
    assertThat(state.backlogs(1)).containsExactly(new Backlog("a", 3, 1, 1));
  }

  @Test
  void theSizeOfACacheIsLearnedFromReplies() {
    for (int i = 0; i < 100; i++) {
      Dispatch one = state.dispatched(ask(CHAIN), new Run("a", 0, 4, 1), i, true);
      state.firstToken(one, i + 0.5);
      state.cached(one, 0);
      state.ended(one, i + 0.6, true);
    }
    assertThat(state.cacheBlocks("a")).isLessThan(5);
    assertThat(state.cacheBlocks("b")).isEqualTo(100);
  }

  @Test
  void theSizeThatAReplicaSaysItsCacheHasIsWhereLearningGoesOn() {
    state.cacheHolds("a", 40);
    assertThat(state.cacheBlocks("a")).isEqualTo(40);
    Dispatch one = state.dispatched(ask(CHAIN), new Run("a", 0, 0, 1), 0, true);
    state.ended(one, 1, true);
    Dispatch two = state.dispatched(ask(CHAIN), new Run("a", 0, 4, 1), 2, true);
    state.cached(two, 0);
    assertThat(state.cacheBlocks("a")).isEqualTo(36);
    state.cacheHolds("a", 40);
    assertThat(state.cacheBlocks("a")).as("said before").isEqualTo(36);
    state.cacheHolds("a", 1_000_000);
    assertThat(state.cacheBlocks("a")).as("no more than may be known").isEqualTo(100);
  }

  @Test
  void theTimeInTheGatewaysOwnQueueIsNoneOfTheReplicas() {
    double now = 0;
    for (int i = 0; i < 16; i++) {
      Dispatch one = state.dispatched(ask(new long[] {10 + i}), new Run("a", 0, 0, 1), now, true);
      now += 30;
      state.started(one, now);
      now += 0.5;
      state.firstToken(one, now);
      state.cached(one, 0);
      state.ended(one, now, true);
    }
    assertThat(seen("a", now).speed().seconds(1000, 0))
        .isCloseTo(0.5, Percentage.withPercentage(3));
  }

  @Test
  void whatHappensToReplicasThatAreGoneAndCallsThatHaveEndedIsPassedOver() {
    Dispatch gone = send("b", 0, 1, true);
    state.leave("b");
    state.firstToken(gone, 1);
    state.cached(gone, 1);
    state.ended(gone, 2, true);
    state.measured("b", 1, 1, 2);
    state.removed("b", 1);
    assertThat(state.snapshot(2, id -> Access.OPEN).replicas())
        .extracting(Replica::id)
        .containsExactly("a");

    Dispatch ended = send("a", 3, 1, true);
    state.ended(ended, 4, true);
    state.ended(ended, 5, true);
    state.firstToken(ended, 6);
    assertThat(seen("a", 6).load().calls()).isZero();
    assertThat(backlog(6)).isZero();
  }
}
