package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.capacity.CapacitySettings.NodeCapacity;
import dev.colony.core.capacity.CapacitySettings.Shares;
import dev.colony.core.capacity.CapacitySettings.Waiting;
import dev.colony.core.capacity.CapacityUse.CapacityReport;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted.Resource;
import dev.colony.core.capacity.Preemption;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.vcm.table.NodeAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NodeSlotsTest {

  private static final NodeAddress NODE = new NodeAddress("a:1");
  private static final int COOL = 0;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  private NodeSlots slots(String settings) {
    Config config =
        ConfigFactory.parseString("colony.agent.capacity {" + settings + "}")
            .withFallback(ConfigFactory.defaultReference());
    return new NodeSlots(CapacitySettings.fromConfig(config), () -> now);
  }

  private NodeSlots slots(int agents, int heapPercent, Waiting waiting, int mostYielding) {
    CapacitySettings settings =
        new CapacitySettings(
            new NodeCapacity(agents, heapPercent, Long.MAX_VALUE),
            Shares.EQUAL,
            16,
            new Preemption(new Aging(10), 20, Duration.ofSeconds(5), Duration.ofSeconds(10)),
            mostYielding,
            waiting,
            CapacitySettings.Reports.USUAL);
    return new NodeSlots(settings, () -> now);
  }

  private SlotRequest request(String tenant, String name, int priority) {
    return new SlotRequest(new AgentId(tenant, "c", name), AgentKind.UNBOUND, priority, 0, now);
  }

  private NodeSlots.Slot ask(NodeSlots slots, String name) {
    return ask(slots, request("acme", name, 50), false);
  }

  private NodeSlots.Slot ask(NodeSlots slots, SlotRequest request, boolean visitor) {
    String name = request.agent().name();
    return slots.ask(
        request,
        visitor,
        new NodeSlots.Waiter() {
          @Override
          public void granted() {
            told.add(name + " granted");
          }

          @Override
          public void sentAway(ResourceExhausted why) {
            told.add(name + " sent away: " + why.resource());
          }
        });
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  @Test
  void whoHasToWaitIsToldWhenAPlaceIsGivenBack() {
    NodeSlots slots = slots("agents = 1");
    NodeSlots.Slot first = ask(slots, "first");
    NodeSlots.Slot second = ask(slots, "second");
    assertThat(first.held()).isTrue();
    assertThat(second.held()).isFalse();
    assertThat(told).isEmpty();
    first.giveBack();
    first.giveBack();
    assertThat(told).containsExactly("second granted");
    assertThat(second.held()).isTrue();
    assertThat(slots.taken()).isEqualTo(1);
    second.giveBack();
    assertThat(slots.taken()).isZero();
  }

  @Test
  void whoDoesNotWaitAnyLongerIsNotServed() {
    NodeSlots slots = slots("agents = 1");
    NodeSlots.Slot first = ask(slots, "first");
    NodeSlots.Slot second = ask(slots, "second");
    ask(slots, "third");
    second.giveBack();
    first.giveBack();
    assertThat(told).containsExactly("third granted");
  }

  @Test
  void whatIsInsistedOnCountsBeyondTheBound() {
    NodeSlots slots = slots("agents = 1");
    NodeSlots.Slot first = slots.insist(request("acme", "first", 50));
    NodeSlots.Slot second = slots.insist(request("acme", "second", 50));
    ask(slots, "third");
    first.giveBack();
    assertThat(told).isEmpty();
    second.giveBack();
    assertThat(told).containsExactly("third granted");
  }

  @Test
  void whatMemoryDoesNotHoldIsSentAwayTheLastOneFirst() {
    NodeSlots slots = slots(1, 85, new Waiting(2, Duration.ofSeconds(30), 16, 200), 4);
    ask(slots, "working");
    ask(slots, request("acme", "low", 10), false);
    ask(slots, request("acme", "high", 90), false);
    ask(slots, request("acme", "usual", 50), false);
    assertThat(told).containsExactly("low sent away: AGENTS");
    ask(slots, request("acme", "lower", 5), false);
    assertThat(told).containsExactly("low sent away: AGENTS", "lower sent away: AGENTS");
  }

  @Test
  void aPlaceThatIsLentIsForOthersAndIsTakenBackThoughTheNodeIsFull() {
    NodeSlots slots = slots("agents = 1");
    NodeSlots.Slot parent = ask(slots, "parent");
    NodeSlots.Slot child = ask(slots, "child");
    NodeSlots.Slot other = ask(slots, "other");
    parent.lend();
    parent.lend();
    assertThat(told).containsExactly("child granted");
    assertThat(parent.held()).as("its step goes on").isTrue();
    parent.takeBack();
    parent.takeBack();
    assertThat(slots.taken()).isEqualTo(2);
    child.giveBack();
    assertThat(other.held()).isFalse();
    parent.giveBack();
    assertThat(other.held()).isTrue();
    assertThat(slots.taken()).isEqualTo(1);
  }

  @Test
  void aPlaceThatIsGivenBackWhileItIsLentIsNotTakenBack() {
    NodeSlots slots = slots("agents = 1");
    NodeSlots.Slot parent = ask(slots, "parent");
    parent.lend();
    parent.giveBack();
    parent.takeBack();
    assertThat(slots.taken()).isZero();
    assertThat(parent.held()).isFalse();
  }

  @Test
  void whoHasWaitedLongIsSentAwayButForTheFirstFewAndServices() {
    NodeSlots slots = slots(1, 85, new Waiting(10_000, Duration.ofSeconds(10), 1, 200), 4);
    ask(slots, "working");
    slots.ask(
        new SlotRequest(new AgentId("acme", "c", "service"), AgentKind.SERVICE, 0, 0, now),
        false,
        new NodeSlots.Waiter() {
          @Override
          public void granted() {}

          @Override
          public void sentAway(ResourceExhausted why) {
            told.add("service");
          }
        });
    ask(slots, "a");
    ask(slots, "b");
    pass(Duration.ofSeconds(10));
    slots.tick(COOL);
    assertThat(told).isEmpty();
    pass(Duration.ofMillis(1));
    slots.tick(COOL);
    assertThat(told).containsExactly("b sent away: AGENTS", "a sent away: AGENTS");
  }

  @Test
  void aFullHeapKeepsOthersFromBeginningAndHasThemWaitElsewhere() {
    NodeSlots slots = slots(400, 80, new Waiting(10_000, Duration.ofSeconds(30), 1, 200), 4);
    NodeSlots.Slot only = ask(slots, "only");
    slots.tick(80);
    NodeSlots.Slot second = ask(slots, "second");
    NodeSlots.Slot third = ask(slots, "third");
    assertThat(second.held() || third.held()).isFalse();
    slots.tick(80);
    assertThat(told).containsExactly("third sent away: HEAP");
    slots.tick(79);
    assertThat(told).endsWith("second granted");
    only.giveBack();
  }

  @Test
  void theOneOfTheLowestPriorityYieldsWhenAnotherHasWaited() {
    NodeSlots slots = slots(2, 85, Waiting.USUAL, 1);
    NodeSlots.Slot usual = ask(slots, request("acme", "usual", 50), false);
    NodeSlots.Slot low = ask(slots, request("acme", "low", 20), false);
    pass(Duration.ofSeconds(10));
    ask(slots, request("acme", "high", 90), false);
    ask(slots, request("acme", "higher", 95), false);
    slots.tick(COOL);
    assertThat(low.yields()).isFalse();
    pass(Duration.ofSeconds(5));
    slots.tick(COOL);
    slots.tick(COOL);
    assertThat(low.yields()).isTrue();
    assertThat(usual.yields()).as("one at once").isFalse();
    low.giveBack();
    assertThat(told).containsExactly("higher granted");
    slots.tick(COOL);
    assertThat(usual.yields()).isTrue();
  }

  @Test
  void tellsWhatRoomThereIsAndWhoHasComeFromADurableWait() {
    NodeSlots slots = slots("agents = 2, kv-tokens = 100");
    NodeSlots.Slot first = ask(slots, request("acme", "a", 50), true);
    ask(slots, request("bolt", "b", 50), false);
    ask(slots, request("bolt", "c", 50), true);
    CapacityReport full = slots.report(NODE, 7);
    assertThat(full.free()).isZero();
    assertThat(full.visitors()).isEqualTo(1);
    assertThat(full.arrived()).isEqualTo(2);
    assertThat(full.atWork()).containsEntry("acme", 1).containsEntry("bolt", 1);
    first.giveBack();
    assertThat(slots.report(NODE, 7).visitors()).isZero();
    assertThat(slots.report(NODE, 7).freeTokens()).isEqualTo(100);
    assertThat(new ResourceExhausted(Resource.AGENTS, 1, 0).reason()).contains("agents at work");
  }

  /** Many agents at once: never more at work than may be, and every agent comes to work. */
  @Test
  void holdsItsBoundWhileManyComeAndGo() throws InterruptedException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    NodeSlots slots = slots("agents = 7");
    AtomicInteger atWork = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch served = new CountDownLatch(2_000);
    for (int i = 0; i < 2_000; i++) {
      Random random = new Random(seed + i);
      SlotRequest request = request("t" + random.nextInt(3), "a" + i, random.nextInt(101));
      boolean leavesEarly = random.nextInt(10) == 0;
      Thread.ofVirtual()
          .start(() -> {
            CountDownLatch granted = new CountDownLatch(1);
            NodeSlots.Slot slot =
                slots.ask(
                    request,
                    random.nextBoolean(),
                    new NodeSlots.Waiter() {
                      @Override
                      public void granted() {
                        granted.countDown();
                      }

                      @Override
                      public void sentAway(ResourceExhausted why) {
                        throw new AssertionError(why.reason());
                      }
                    });
            if (!slot.held() && !leavesEarly) {
              await(granted);
            }
            if (slot.held()) {
              most.accumulateAndGet(atWork.incrementAndGet(), Math::max);
              Thread.yield();
              atWork.decrementAndGet();
            }
            slot.giveBack();
            served.countDown();
          });
    }
    assertThat(served.await(40, TimeUnit.SECONDS)).as("every agent was served").isTrue();
    assertThat(most.get()).isBetween(1, 7);
    assertThat(slots.taken()).isZero();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }
}
