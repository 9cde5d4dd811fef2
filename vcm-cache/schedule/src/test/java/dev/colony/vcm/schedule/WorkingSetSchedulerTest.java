package dev.colony.vcm.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Agents run where their working sets are, and wait where those fit nowhere. */
class WorkingSetSchedulerTest {

  private static final int BLOCK = 100;
  private static final WorkingSetSettings SETTINGS = WorkingSetSettings.DEFAULT;

  private final Set<String> closed = new HashSet<>();
  private final AtomicReference<EvictionControl> eviction =
      new AtomicReference<>(EvictionControl.HINTS);
  private final ClusterState cluster =
      new ClusterState(new ScheduleSettings(new PrefillSpeed(1000, 1e9), 64, 30, 60, 1000, 1000));
  private final WorkingSetScheduler scheduler =
      new WorkingSetScheduler(
          SETTINGS,
          cluster,
          id -> closed.contains(id) ? new Access(false, false, 1, 0) : Access.OPEN,
          id -> eviction.get(),
          BLOCK);

  private void replicas(int blocks, String... ids) {
    for (String id : ids) {
      cluster.join(id);
      cluster.cacheHolds(id, blocks);
    }
  }

  private static Ask ask(long from, int blocks) {
    long[] chain = LongStream.range(from, from + blocks).toArray();
    return Ask.even(chain, BLOCK, (long) blocks * BLOCK);
  }

  /** Where a request went; empty where it waits. */
  private static String replica(Orders orders, long request) {
    return orders.started().stream()
        .filter(one -> one.request() == request)
        .map(one -> one.run().replica())
        .findFirst()
        .orElse("");
  }

  private String arrives(long request, String unit, Ask ask, double now) {
    return replica(scheduler.arrived(request, unit, ask, false, now), request);
  }

  private void ends(long request, int cached, double returnsIn, double now) {
    scheduler.firstToken(request, cached, now);
    scheduler.ended(request, OptionalDouble.of(returnsIn), OptionalInt.empty(), true, now);
  }

  private static Set<Long> evicted(Orders orders) {
    Set<Long> blocks = new HashSet<>();
    orders.evictions().forEach(one -> Arrays.stream(one.blocks()).forEach(blocks::add));
    return blocks;
  }

  @Test
  void aTurnOfAResidentGoesHomeThoughAnotherReplicaIsIdle() {
    replicas(100, "a", "b");
    assertThat(arrives(1, "u", ask(0, 40), 0)).isEqualTo("a");
    ends(1, 0, 5, 4);
    // Something else is computed at its home, less than its own blocks would take elsewhere.
    assertThat(arrives(2, "v", ask(1_000, 40), 4)).isEqualTo("b");
    assertThat(arrives(3, "u", ask(0, 42), 9)).isEqualTo("a");
  }

  @Test
  void aNewcomerWaitsWhereItsBlocksFitNowhereUntilAnAgentEnds() {
    replicas(100, "a");
    assertThat(arrives(1, "u", ask(0, 60), 0)).isEqualTo("a");
    Orders second = scheduler.arrived(2, "v", ask(1_000, 60), false, 1);
    assertThat(second.started()).isEmpty();
    assertThat(second.wakeAt()).hasValue(1 + SETTINGS.wakeSeconds());
    assertThat(scheduler.tried(3).started()).isEmpty();
    scheduler.firstToken(1, 0, 6);
    ends(1, 0, 1, 7);
    assertThat(scheduler.tried(7).started()).as("it is back in a second").isEmpty();
    scheduler.arrived(3, "u", ask(0, 61), true, 8);
    Orders end = scheduler.ended(3, OptionalDouble.empty(), OptionalInt.empty(), true, 9);
    assertThat(evicted(end)).as("what an ended agent leaves goes first").hasSize(61);
    assertThat(replica(scheduler.tried(9), 2)).isEqualTo("a");
  }

  @Test
  void blocksThatAreSharedCountOnce() {
    replicas(100, "a");
    assertThat(arrives(1, "u", ask(0, 80), 0)).isEqualTo("a");
    long[] mostlyShared =
        LongStream.concat(LongStream.range(0, 70), LongStream.range(500, 510)).toArray();
    assertThat(arrives(2, "v", Ask.even(mostlyShared, BLOCK, 8_000), 1)).isEqualTo("a");
    assertThat(arrives(3, "w", ask(900, 80), 1)).isEmpty();
  }

  @Test
  void anAgentThatStaysAwayLongIsPagedOutAndGoesBeforeNewcomersWhenItIsBack() {
    replicas(100, "a");
    assertThat(arrives(1, "u", ask(0, 60), 0)).isEqualTo("a");
    ends(1, 0, 3_600, 6);
    Orders second = scheduler.arrived(2, "v", ask(1_000, 60), false, 7);
    assertThat(replica(second, 2)).isEqualTo("a");
    assertThat(evicted(second)).containsAll(LongStream.range(0, 60).boxed().toList());
    assertThat(arrives(3, "w", ask(2_000, 60), 8)).isEmpty();
    assertThat(arrives(4, "u", ask(0, 61), 9)).isEmpty();
    scheduler.firstToken(2, 0, 13);
    ends(2, 0, 3_600, 14);
    Orders next = scheduler.tried(14);
    assertThat(next.started()).extracting(Orders.Started::request).containsExactly(4L);
  }

  @Test
  void anAgentThatIsSoonBackIsNotPagedOutUnlessARequestIsBeyondTheBound() {
    replicas(100, "a");
    assertThat(arrives(1, "u", ask(0, 60), 0)).isEqualTo("a");
    ends(1, 0, 2, 6);
    assertThat(arrives(2, "v", ask(1_000, 60), 7)).isEmpty();
    double late = 8 + SETTINGS.boundSeconds();
    assertThat(scheduler.tried(late - 2).started()).isEmpty();
    Orders forced = scheduler.tried(late);
    assertThat(replica(forced, 2)).isEqualTo("a");
    assertThat(evicted(forced)).hasSize(60);
  }

  @Test
  void beyondTheBoundAlsoThoseArePagedOutWhoseBlocksAreMostlyEachOthers() {
    replicas(100, "a");
    long[] common = LongStream.range(0, 50).toArray();
    for (long agent = 1; agent <= 2; agent++) {
      long own = 1_000 * agent;
      long[] chain =
          LongStream.concat(Arrays.stream(common), LongStream.range(own, own + 10)).toArray();
      assertThat(arrives(agent, "u" + agent, Ask.even(chain, BLOCK, 6_000), 0)).isEqualTo("a");
      ends(agent, 0, 2, 6);
    }
    assertThat(arrives(3, "v", ask(5_000, 60), 7)).isEmpty();
    Orders forced = scheduler.tried(8 + SETTINGS.boundSeconds());
    assertThat(replica(forced, 3)).isEqualTo("a");
    assertThat(evicted(forced)).hasSize(70);
  }

  @Test
  void blocksOfARunningTurnAreNeverEvicted() {
    replicas(100, "a");
    assertThat(arrives(1, "u", ask(0, 60), 0)).isEqualTo("a");
    Orders late = scheduler.arrived(2, "v", ask(1_000, 60), false, 1);
    assertThat(late.evictions()).isEmpty();
    assertThat(scheduler.tried(2 + SETTINGS.boundSeconds()).evictions()).isEmpty();
  }

  @Test
  void aLittleGrowthTakesTheEndsOfIdleChainsAndMuchPagesOut() {
    replicas(100, "a");
    arrives(1, "u", ask(0, 50), 0);
    ends(1, 0, 10, 5);
    arrives(2, "v", ask(1_000, 40), 5);
    ends(2, 0, 10, 9);
    // More than a tenth of the cache.
    Orders grown = scheduler.arrived(3, "v", ask(1_000, 65), false, 10);
    assertThat(evicted(grown)).containsAll(LongStream.range(0, 50).boxed().toList());
    ends(3, 0, 10, 20);
    arrives(4, "v", ask(1_000, 55), 21);
    ends(4, 0, 10, 221);
    arrives(400, "w", ask(5_000, 40), 222);
    ends(400, 0, 10, 224);
    Orders little = scheduler.arrived(401, "v", ask(1_000, 63), false, 225);
    assertThat(evicted(little)).isSubsetOf(LongStream.range(5_000, 5_040).boxed().toList());
    assertThat(evicted(little)).hasSizeBetween(1, 10).contains(5_039L).doesNotContain(5_000L);
  }

  @Test
  void anIdleAgentMovesWhereItIsFasterThoughItsBlocksAreComputedAgain() {
    replicas(200, "a", "b");
    assertThat(arrives(1, "u", ask(0, 10), 0)).isEqualTo("a");
    ends(1, 0, 5, 1);
    assertThat(arrives(2, "v", ask(1_000, 100), 1)).isEqualTo("b");
    assertThat(arrives(3, "w", ask(2_000, 90), 1)).isEqualTo("a");
    ends(2, 0, 50, 5);
    // Nine seconds stand before it at its home, one second of prefill at the other.
    assertThat(arrives(4, "u", ask(0, 11), 6)).isEqualTo("b");
  }

  @Test
  void whereACacheTakesNoHintsAllElseIsTouchedTheSoonestToReturnLast() {
    replicas(100, "a");
    eviction.set(EvictionControl.TOUCHES);
    arrives(1, "u", ask(0, 30), 0);
    arrives(2, "v", ask(1_000, 30), 0);
    arrives(3, "w", ask(2_000, 30), 0);
    ends(1, 0, 50, 9);
    ends(2, 0, 3_600, 9);
    ends(3, 0, 40, 9);
    Orders orders = scheduler.arrived(4, "x", ask(3_000, 30), false, 10);
    assertThat(orders.started()).hasSize(1);
    assertThat(orders.evictions()).isEmpty();
    assertThat(orders.touches())
        .extracting(touch -> touch.blocks()[0], touch -> touch.blocks().length)
        .containsExactly(tuple(0L, 30), tuple(2_000L, 30));
  }

  @Test
  void aReplicaThatTakesNoCallsLoadsNobody() {
    replicas(100, "a", "b");
    closed.add("a");
    assertThat(arrives(1, "u", ask(0, 40), 0)).isEqualTo("b");
    assertThat(arrives(2, "v", ask(1_000, 40), 0)).isEqualTo("b");
    assertThat(arrives(3, "w", ask(2_000, 40), 0)).isEmpty();
    closed.clear();
    assertThat(replica(scheduler.tried(1), 3)).isEqualTo("a");
  }

  @Test
  void aRequestThatEndsWhileItWaitsIsForgotten() {
    replicas(100, "a");
    arrives(1, "u", ask(0, 60), 0);
    assertThat(arrives(2, "v", ask(1_000, 60), 0)).isEmpty();
    scheduler.ended(2, OptionalDouble.empty(), OptionalInt.empty(), false, 1);
    scheduler.arrived(3, "u", ask(0, 60), true, 2);
    ends(1, 0, 1, 6);
    scheduler.ended(3, OptionalDouble.empty(), OptionalInt.empty(), true, 7);
    assertThat(scheduler.tried(8).started()).isEmpty();
    assertThat(scheduler.tried(9).wakeAt()).isEmpty();
  }

  @Property(tries = 30)
  void agentsEndAndNobodyWaitsBeyondTheBoundAndEqualEventsGiveEqualOrders(@ForAll long seed) {
    SimulatedAgents agents = new SimulatedAgents(seed);
    List<String> orders = agents.run();
    assertThat(agents.longest()).isLessThan(SETTINGS.boundSeconds() + 20 * SimulatedAgents.TURN);
    assertThat(new SimulatedAgents(seed).run()).isEqualTo(orders);
  }
}
