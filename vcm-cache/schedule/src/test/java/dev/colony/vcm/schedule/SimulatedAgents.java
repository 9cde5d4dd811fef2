package dev.colony.vcm.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.Home.Unit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * Agents whose working sets are several times the caches, with turns of a few seconds and absences
 * from seconds to an hour; after each event what has to hold is checked.
 */
final class SimulatedAgents {

  static final int TURN = 4;
  private static final int BLOCK = 100;
  private static final int CAPACITY = 100;
  private static final int AGENTS = 30;
  private static final int OUTPUT_BLOCKS = 2;

  private record Event(double at, long order, Runnable happens) {}

  /** One agent: its chain grows by each turn. */
  private final class SimulatedAgent {
    final String name;
    final long first;
    final int shared = random.nextInt(3) * 5;
    int blocks = 10 + random.nextInt(40);
    int turns = 1 + random.nextInt(10);

    SimulatedAgent(int number) {
      name = "agent-" + number;
      first = 1_000L * (number + 1);
    }

    long[] chain() {
      long[] chain = new long[blocks];
      for (int i = 0; i < blocks; i++) {
        chain[i] = i < shared ? i : first + i;
      }
      return chain;
    }
  }

  private record Sent(SimulatedAgent agent, long[] chain, double at) {}

  private final Random random;
  private final WorkingSetSettings settings = WorkingSetSettings.DEFAULT;
  private final ClusterState cluster =
      new ClusterState(
          new ScheduleSettings(new PrefillSpeed(5_000, 1e9), 64, 30, 60, CAPACITY, CAPACITY));
  private final WorkingSetScheduler scheduler =
      new WorkingSetScheduler(
          settings, cluster, id -> Access.OPEN, id -> EvictionControl.HINTS, BLOCK);
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingDouble(Event::at).thenComparingLong(Event::order));
  private final List<String> log = new ArrayList<>();
  private final Map<Long, Sent> waiting = new HashMap<>();
  private final Map<Long, Sent> running = new HashMap<>();

  /** When a turn began last at each replica. */
  private final Map<String, Double> lastStart = new HashMap<>();

  private long order;
  private long requests;
  private double now;
  private double longest;
  private int unfinished;

  SimulatedAgents(long seed) {
    random = new Random(seed);
  }

  /** Lets all of them end. Returns what the scheduler ordered, a line each. */
  List<String> run() {
    for (String replica : List.of("a", "b", "c")) {
      cluster.join(replica);
      cluster.cacheHolds(replica, CAPACITY);
    }
    for (int i = 0; i < AGENTS; i++) {
      SimulatedAgent agent = new SimulatedAgent(i);
      unfinished++;
      at(random.nextInt(60), () -> asks(agent));
    }
    while (!events.isEmpty()) {
      Event event = events.remove();
      now = event.at();
      event.happens().run();
      check();
    }
    assertThat(unfinished).isZero();
    return log;
  }

  /** The longest time that a request has waited, in seconds. */
  double longest() {
    return longest;
  }

  private void at(double when, Runnable happens) {
    events.add(new Event(when, order++, happens));
  }

  private void asks(SimulatedAgent agent) {
    long number = ++requests;
    long[] chain = agent.chain();
    waiting.put(number, new Sent(agent, chain, now));
    carryOut(
        scheduler.arrived(
            number,
            agent.name,
            Ask.even(chain, BLOCK, (long) chain.length * BLOCK).withOutput(OUTPUT_BLOCKS * BLOCK),
            agent.turns == 1,
            now));
  }

  private void carryOut(Orders orders) {
    for (Orders.Eviction eviction : orders.evictions()) {
      log.add(eviction.replica() + " drops " + Arrays.toString(eviction.blocks()));
      Set<Long> used = new HashSet<>();
      for (Home home : scheduler.homes()) {
        if (home.replica.equals(eviction.replica())) {
          home.all().stream()
              .filter(unit -> !unit.idle())
              .forEach(unit -> Arrays.stream(unit.blocks).forEach(used::add));
        }
      }
      assertThat(Arrays.stream(eviction.blocks()).boxed()).noneMatch(used::contains);
    }
    for (Orders.Started started : orders.started()) {
      log.add(now + " " + started.request() + " runs at " + started.run().replica());
      Sent sent = waiting.remove(started.request());
      lastStart.put(started.run().replica(), now);
      longest = Math.max(longest, now - sent.at());
      running.put(started.request(), sent);
      at(now + 1, () -> scheduler.firstToken(started.request(), started.run().cachedBlocks(), now));
      at(now + 2 + random.nextInt(TURN - 1), () -> ends(started.request()));
    }
    orders.wakeAt().ifPresent(when -> at(when, this::tries));
  }

  private void ends(long request) {
    Sent sent = running.remove(request);
    SimulatedAgent agent = sent.agent();
    double away = random.nextInt(5) == 0 ? random.nextInt(3_600) : random.nextInt(20);
    agent.turns--;
    agent.blocks += random.nextInt(4);
    carryOut(
        scheduler.ended(
            request,
            random.nextBoolean() ? OptionalDouble.of(away) : OptionalDouble.empty(),
            OptionalInt.empty(),
            true,
            now));
    tries();
    if (agent.turns > 0) {
      at(now + away, () -> asks(agent));
    } else {
      unfinished--;
    }
  }

  private void tries() {
    carryOut(scheduler.tried(now));
    waiting.values().stream()
        .filter(sent -> now - sent.at() > settings.boundSeconds())
        .min(Comparator.comparingDouble(Sent::at))
        .ifPresent(this::waitsForRunningTurns);
  }

  /** The oldest beyond the bound goes as soon as the turns that run leave it room anywhere. */
  private void waitsForRunningTurns(Sent oldest) {
    for (Home home : scheduler.homes()) {
      Set<Long> needed = new HashSet<>();
      home.all().stream()
          .filter(unit -> !unit.idle())
          .forEach(unit -> Arrays.stream(unit.blocks).forEach(needed::add));
      Arrays.stream(oldest.chain()).forEach(needed::add);
      assertThat(needed.size() + OUTPUT_BLOCKS + 1)
          .as("%s waits though %s could page out for it", oldest.agent().name, home.replica)
          .isGreaterThan(CAPACITY);
    }
  }

  private void check() {
    Set<String> resident = new HashSet<>();
    for (Home home : scheduler.homes()) {
      Set<Long> union = new HashSet<>();
      for (Unit unit : home.all()) {
        assertThat(unit.home).isSameAs(home);
        assertThat(resident.add(unit.key)).as("%s has one home", unit.key).isTrue();
        Arrays.stream(unit.blocks).forEach(union::add);
      }
      assertThat(home.claims.size()).isEqualTo(union.size());
      double slack = settings.slack() * CAPACITY;
      if (union.size() + home.outputBlocks() > CAPACITY + slack) {
        // What has ended since goes when the next turn begins there.
        double started = lastStart.getOrDefault(home.replica, now);
        assertThat(home.idle())
            .as("beyond the slack at %s only while all that is there runs", home.replica)
            .noneMatch(unit -> unit.exclusive > 0 && unit.lastEvent < started);
      }
    }
    running.forEach((request, sent) -> assertThat(resident).contains(sent.agent().name));
  }
}
