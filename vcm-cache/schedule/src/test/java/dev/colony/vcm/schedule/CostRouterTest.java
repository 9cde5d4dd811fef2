package dev.colony.vcm.schedule;

import static dev.colony.vcm.schedule.ClusterSnapshot.Access.OPEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterSnapshot.Load;
import dev.colony.vcm.schedule.ClusterSnapshot.Replica;
import dev.colony.vcm.schedule.CostRouter.Decision;
import dev.colony.vcm.schedule.CostRouter.Decision.Hold;
import dev.colony.vcm.schedule.CostRouter.Decision.Refusal;
import dev.colony.vcm.schedule.CostRouter.Decision.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** A prompt goes where backlog and prefill cost the fewest seconds. */
class CostRouterTest {

  private static final PrefillSpeed SPEED = new PrefillSpeed(1000, Double.POSITIVE_INFINITY);
  private static final CostRouter CHAT = CostRouter.chat(4, 6, 0.5);

  private static Ask ask(String... excluded) {
    return Ask.even(new long[] {1, 2, 3, 4}, 1000, 4000).excluding(Set.of(excluded));
  }

  private static Replica replica(String id, double backlog, int cached, Access access) {
    return new Replica(id, new Load(backlog, 0, 0, 0, 0), SPEED, block -> block <= cached, access);
  }

  private static Replica replica(String id, double backlog, int cached) {
    return replica(id, backlog, cached, OPEN);
  }

  private static Decision route(double queueLength, Ask ask, Replica... replicas) {
    return CHAT.route(new ClusterSnapshot(0, List.of(replicas), queueLength), ask);
  }

  private static String chosen(double queueLength, Replica... replicas) {
    return ((Run) route(queueLength, ask(), replicas)).replica();
  }

  @Test
  void goesWhereItsPrefixIsUnlessWaitingThereTakesLonger() {
    assertThat(chosen(0, replica("a", 0, 0), replica("b", 2.9, 3))).isEqualTo("b");
    assertThat(chosen(0, replica("a", 0, 0), replica("b", 3.1, 3))).isEqualTo("a");
  }

  @Test
  void theLongerTheQueuesTheMoreACachedPrefixIsWorth() {
    assertThat(chosen(0, replica("a", 0, 0), replica("b", 10, 3))).isEqualTo("a");
    assertThat(chosen(1, replica("a", 0, 0), replica("b", 10, 3))).isEqualTo("b");
    // three seconds less, each of which delays at most six calls
    assertThat(chosen(9, replica("a", 0, 0), replica("b", 20.9, 3))).isEqualTo("b");
    assertThat(chosen(9, replica("a", 0, 0), replica("b", 21.1, 3))).isEqualTo("a");
  }

  @Test
  void whereRepliesAreUnderWayAPromptCostsThemToo() {
    Replica busy = new Replica("a", new Load(0, 2, 0, 2, 0), SPEED, block -> block <= 1, OPEN);
    assertThat(chosen(0, busy, replica("b", 0, 0))).as("3 s + 2 * 1.5 beside 4").isEqualTo("b");
    Replica holder = new Replica("a", new Load(0, 2, 0, 2, 0), SPEED, block -> block <= 3, OPEN);
    assertThat(chosen(0, holder, replica("b", 0, 0))).as("1 s + 2 * 0.5 beside 4").isEqualTo("a");
  }

  @Test
  void whereFirstTokensComeLateEachOfThoseThatWaitCostsThat() {
    Replica full = new Replica("a", new Load(0, 2, 2, 0, 1.1), SPEED, block -> block <= 3, OPEN);
    assertThat(chosen(0, full, replica("b", 0, 0))).isEqualTo("b");
    Replica less = new Replica("a", new Load(0, 2, 1, 0, 1.1), SPEED, block -> block <= 3, OPEN);
    assertThat(chosen(0, less, replica("b", 0, 0))).isEqualTo("a");
  }

  @Test
  void pagesBehindOneThatIsNotCachedAreWorthNothing() {
    Replica tail = new Replica("a", Load.NONE, SPEED, block -> block > 1, OPEN);
    Run run = (Run) route(0, ask(), tail);
    assertThat(run.cachedBlocks()).isZero();
    assertThat(run.prefillSeconds()).isEqualTo(4);
  }

  @Test
  void theLastTokenIsAlwaysComputed() {
    Run run = (Run) route(0, ask(), replica("a", 0, 4));
    assertThat(run.prefillSeconds()).isEqualTo(0.001, within(1e-9));
  }

  @Test
  void aReplicaThatStartsSlowlyOrIsFartherAwayCostsMore() {
    Access warming = new Access(true, false, 0.5, 0);
    assertThat(chosen(0, replica("a", 0, 0, warming), replica("b", 3.9, 0))).isEqualTo("b");
    assertThat(chosen(0, replica("a", 0, 0, warming), replica("b", 4.1, 0))).isEqualTo("a");
    Replica holder = new Replica("a", Load.NONE, SPEED, block -> block <= 3, warming);
    assertThat(chosen(0, holder, replica("b", 0, 0)))
        .as("it is not cold for what it holds")
        .isEqualTo("a");
    Access far = new Access(true, false, 1, 0.5);
    assertThat(chosen(0, replica("a", 0, 0, far), replica("b", 0.4, 0))).isEqualTo("b");
    assertThat(chosen(0, replica("a", 0, 0, far), replica("b", 0.6, 0))).isEqualTo("a");
  }

  @Test
  void ofEquallyCheapOnesThatWithTheFewestCallsThenTheFirst() {
    Replica busy = new Replica("a", new Load(0, 3, 0, 0, 0), SPEED, block -> false, OPEN);
    assertThat(chosen(0, busy, replica("b", 0, 0), replica("c", 0, 0))).isEqualTo("b");
  }

  @Test
  void saysWhyNoneTakesIt() {
    Replica full = replica("full", 0, 0, new Access(true, true, 1, 0));
    Replica down = replica("down", 0, 0, new Access(false, false, 1, 0));
    Replica open = replica("open", 0, 0);
    assertThat(route(0, ask())).isEqualTo(new Hold(Refusal.NO_REPLICA));
    assertThat(route(0, ask("open"), open)).isEqualTo(new Hold(Refusal.EXCLUDED));
    assertThat(route(0, ask("open"), open, down)).isEqualTo(new Hold(Refusal.UNAVAILABLE));
    assertThat(route(0, ask("open"), open, down, full)).isEqualTo(new Hold(Refusal.FULL));
    assertThat(route(0, ask("open"), full, down, open)).isEqualTo(new Hold(Refusal.FULL));
    assertThat(((Run) route(0, ask(), full, down, open)).replica()).isEqualTo("open");
  }

  @Test
  void whatAReplySaysWasCachedIsCountedInBlocks() {
    Ask ask =
        new Ask(
            new long[] {1, 2, 3},
            new double[] {100, 1000, 1100},
            1200,
            0,
            Optional.empty(),
            Optional.empty(),
            Set.of());
    assertThat(ask.cachedTokens(0)).isZero();
    assertThat(ask.cachedTokens(2)).isEqualTo(1000);
    // by the server's count the prompt is twice as long
    assertThat(ask.cachedBlocks(0, 2400)).isZero();
    assertThat(ask.cachedBlocks(200, 2400)).isEqualTo(1);
    assertThat(ask.cachedBlocks(1000, 2400)).isEqualTo(1);
    assertThat(ask.cachedBlocks(1200, 2400)).isEqualTo(2);
    assertThat(ask.cachedBlocks(2400, 2400)).isEqualTo(3);
    assertThat(ask.cachedBlocks(5, 0)).isZero();
  }

  @Property(tries = 300)
  void takesTheCheapestByTheRuleWrittenOut(
      @ForAll @IntRange(min = 1, max = 6) int count, @ForAll long seed) {
    Random random = new Random(seed);
    double queueLength = random.nextDouble() * 3;
    List<Replica> replicas = new ArrayList<>();
    double least = Double.POSITIVE_INFINITY;
    int best = -1;
    for (int i = 0; i < count; i++) {
      PrefillSpeed speed =
          new PrefillSpeed(500 + random.nextInt(5000), 1000 + random.nextInt(90_000));
      int cached = random.nextInt(5);
      double backlog = random.nextDouble() * 10;
      int waiting = random.nextInt(4);
      int replying = random.nextInt(4);
      double stall = random.nextDouble();
      boolean taken = random.nextInt(4) > 0;
      replicas.add(
          new Replica(
              "r" + i,
              new Load(backlog, 0, waiting, replying, stall),
              speed,
              block -> block <= cached,
              new Access(taken, false, 1, 0)));
      double hit = Math.min(cached * 1000, 3999);
      double rest = 4000 - hit;
      double prefill =
          rest / speed.tokensPerSecond() * (1 + (hit + rest / 2) / speed.attentionTokens());
      double cost =
          backlog
              + stall * (waiting + 1)
              + (1 + Math.min(6, 4 * queueLength) + 0.5 * replying) * prefill;
      if (taken && cost < least) {
        least = cost;
        best = i;
      }
    }
    Decision decision = CHAT.route(new ClusterSnapshot(0, replicas, queueLength), ask());
    if (best < 0) {
      assertThat(decision).isEqualTo(new Hold(Refusal.UNAVAILABLE));
    } else {
      assertThat(((Run) decision).replica()).isEqualTo("r" + best);
      assertThat(((Run) decision).seconds()).isEqualTo(least, within(1e-6));
    }
  }
}
