package dev.colony.agent.room;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentKind;
import dev.colony.agent.capacity.CapacitySettings;
import dev.colony.agent.capacity.NodeRoom;
import dev.colony.agent.capacity.PlaceRequest;
import dev.colony.agent.capacity.Resource;
import dev.colony.agent.capacity.ResourceExhausted;
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
class NodePlacesTest {

  private static final NodeAddress NODE = new NodeAddress("a:1");
  private static final int COOL = 0;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  private NodePlaces places(String settings) {
    Config config =
        ConfigFactory.parseString("colony.agent.capacity {" + settings + "}")
            .withFallback(ConfigFactory.defaultReference());
    return new NodePlaces(CapacitySettings.fromConfig(config), () -> now);
  }

  private PlaceRequest request(String tenant, String name, int priority) {
    return new PlaceRequest(new AgentId(tenant, "c", name), AgentKind.UNBOUND, priority, 0, now);
  }

  private NodePlaces.Place ask(NodePlaces places, String name) {
    return ask(places, request("acme", name, 50), false);
  }

  private NodePlaces.Place ask(NodePlaces places, PlaceRequest request, boolean visitor) {
    String name = request.agent().name();
    return places.ask(
        request,
        visitor,
        new NodePlaces.Waiter() {
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
    NodePlaces places = places("agents = 1");
    NodePlaces.Place first = ask(places, "first");
    NodePlaces.Place second = ask(places, "second");
    assertThat(first.held()).isTrue();
    assertThat(second.held()).isFalse();
    assertThat(told).isEmpty();
    first.giveBack();
    first.giveBack();
    assertThat(told).containsExactly("second granted");
    assertThat(second.held()).isTrue();
    assertThat(places.taken()).isEqualTo(1);
    second.giveBack();
    assertThat(places.taken()).isZero();
  }

  @Test
  void whoDoesNotWaitAnyLongerIsNotServed() {
    NodePlaces places = places("agents = 1");
    NodePlaces.Place first = ask(places, "first");
    NodePlaces.Place second = ask(places, "second");
    ask(places, "third");
    second.giveBack();
    first.giveBack();
    assertThat(told).containsExactly("third granted");
  }

  @Test
  void whatIsInsistedOnCountsBeyondTheBound() {
    NodePlaces places = places("agents = 1");
    NodePlaces.Place first = places.insist(request("acme", "first", 50));
    NodePlaces.Place second = places.insist(request("acme", "second", 50));
    ask(places, "third");
    first.giveBack();
    assertThat(told).isEmpty();
    second.giveBack();
    assertThat(told).containsExactly("third granted");
  }

  @Test
  void whatMemoryDoesNotHoldIsSentAwayTheLastOneFirst() {
    NodePlaces places = places("agents = 1, waiting.most = 2");
    ask(places, "working");
    ask(places, request("acme", "low", 10), false);
    ask(places, request("acme", "high", 90), false);
    ask(places, request("acme", "usual", 50), false);
    assertThat(told).containsExactly("low sent away: AGENTS");
    ask(places, request("acme", "lower", 5), false);
    assertThat(told).containsExactly("low sent away: AGENTS", "lower sent away: AGENTS");
  }

  @Test
  void aPlaceThatIsLentIsForOthersAndIsTakenBackThoughTheNodeIsFull() {
    NodePlaces places = places("agents = 1");
    NodePlaces.Place parent = ask(places, "parent");
    NodePlaces.Place child = ask(places, "child");
    NodePlaces.Place other = ask(places, "other");
    parent.lend();
    parent.lend();
    assertThat(told).containsExactly("child granted");
    assertThat(parent.held()).as("its step goes on").isTrue();
    parent.takeBack();
    parent.takeBack();
    assertThat(places.taken()).isEqualTo(2);
    child.giveBack();
    assertThat(other.held()).isFalse();
    parent.giveBack();
    assertThat(other.held()).isTrue();
    assertThat(places.taken()).isEqualTo(1);
  }

  @Test
  void aPlaceThatIsGivenBackWhileItIsLentIsNotTakenBack() {
    NodePlaces places = places("agents = 1");
    NodePlaces.Place parent = ask(places, "parent");
    parent.lend();
    parent.giveBack();
    parent.takeBack();
    assertThat(places.taken()).isZero();
    assertThat(parent.held()).isFalse();
  }

  @Test
  void whoHasWaitedLongIsSentAwayButForTheFirstFewAndServices() {
    NodePlaces places = places("agents = 1, waiting { longest = 10s, keep = 1 }");
    ask(places, "working");
    places.ask(
        new PlaceRequest(new AgentId("acme", "c", "service"), AgentKind.SERVICE, 0, 0, now),
        false,
        new NodePlaces.Waiter() {
          @Override
          public void granted() {}

          @Override
          public void sentAway(ResourceExhausted why) {
            told.add("service");
          }
        });
    ask(places, "a");
    ask(places, "b");
    pass(Duration.ofSeconds(10));
    places.tick(COOL);
    assertThat(told).isEmpty();
    pass(Duration.ofMillis(1));
    places.tick(COOL);
    assertThat(told).containsExactly("b sent away: AGENTS", "a sent away: AGENTS");
  }

  @Test
  void aFullHeapKeepsOthersFromBeginningAndHasThemWaitElsewhere() {
    NodePlaces places = places("heap-percent = 80, waiting.keep = 1");
    NodePlaces.Place only = ask(places, "only");
    places.tick(80);
    NodePlaces.Place second = ask(places, "second");
    NodePlaces.Place third = ask(places, "third");
    assertThat(second.held() || third.held()).isFalse();
    places.tick(80);
    assertThat(told).containsExactly("third sent away: HEAP");
    places.tick(79);
    assertThat(told).endsWith("second granted");
    only.giveBack();
  }

  @Test
  void theOneOfTheLowestPriorityYieldsWhenAnotherHasWaited() {
    NodePlaces places =
        places("agents = 2, suspend-lower { after = 5s, least-turn = 10s, at-once = 1 }");
    NodePlaces.Place usual = ask(places, request("acme", "usual", 50), false);
    NodePlaces.Place low = ask(places, request("acme", "low", 20), false);
    pass(Duration.ofSeconds(10));
    ask(places, request("acme", "high", 90), false);
    ask(places, request("acme", "higher", 95), false);
    places.tick(COOL);
    assertThat(low.yields()).isFalse();
    pass(Duration.ofSeconds(5));
    places.tick(COOL);
    places.tick(COOL);
    assertThat(low.yields()).isTrue();
    assertThat(usual.yields()).as("one at once").isFalse();
    low.giveBack();
    assertThat(told).containsExactly("higher granted");
    places.tick(COOL);
    assertThat(usual.yields()).isTrue();
  }

  @Test
  void tellsWhatRoomThereIsAndWhoHasComeFromADurableWait() {
    NodePlaces places = places("agents = 2, kv-tokens = 100");
    NodePlaces.Place first = ask(places, request("acme", "a", 50), true);
    ask(places, request("bolt", "b", 50), false);
    ask(places, request("bolt", "c", 50), true);
    NodeRoom full = places.room(NODE, 7);
    assertThat(full.free()).isZero();
    assertThat(full.visitors()).isEqualTo(1);
    assertThat(full.arrived()).isEqualTo(2);
    assertThat(full.atWork()).containsEntry("acme", 1).containsEntry("bolt", 1);
    first.giveBack();
    assertThat(places.room(NODE, 7).visitors()).isZero();
    assertThat(places.room(NODE, 7).freeTokens()).isEqualTo(100);
    assertThat(new ResourceExhausted(Resource.AGENTS, 1, 0).reason()).contains("agents at work");
  }

  /** Many agents at once: never more at work than may be, and everybody comes to work. */
  @Test
  void holdsItsBoundWhileManyComeAndGo() throws InterruptedException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    NodePlaces places = places("agents = 7");
    AtomicInteger atWork = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch served = new CountDownLatch(2_000);
    for (int i = 0; i < 2_000; i++) {
      Random random = new Random(seed + i);
      PlaceRequest request = request("t" + random.nextInt(3), "a" + i, random.nextInt(101));
      boolean leavesEarly = random.nextInt(10) == 0;
      Thread.ofVirtual()
          .start(() -> {
            CountDownLatch granted = new CountDownLatch(1);
            NodePlaces.Place place =
                places.ask(
                    request,
                    random.nextBoolean(),
                    new NodePlaces.Waiter() {
                      @Override
                      public void granted() {
                        granted.countDown();
                      }

                      @Override
                      public void sentAway(ResourceExhausted why) {
                        throw new AssertionError(why.reason());
                      }
                    });
            if (!place.held() && !leavesEarly) {
              await(granted);
            }
            if (place.held()) {
              most.accumulateAndGet(atWork.incrementAndGet(), Math::max);
              Thread.yield();
              atWork.decrementAndGet();
            }
            place.giveBack();
            served.countDown();
          });
    }
    assertThat(served.await(40, TimeUnit.SECONDS)).as("everybody was served").isTrue();
    assertThat(most.get()).isBetween(1, 7);
    assertThat(places.taken()).isZero();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }
}
