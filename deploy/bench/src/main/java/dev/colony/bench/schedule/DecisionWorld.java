package dev.colony.bench.schedule;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.ScheduleSettings;
import dev.colony.vcm.schedule.workingset.EvictionControl;
import dev.colony.vcm.schedule.workingset.Orders;
import dev.colony.vcm.schedule.workingset.WorkingSetScheduler;
import dev.colony.vcm.schedule.workingset.WorkingSetSettings;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Agents that ask, compute, stay away and come back in a simulated time of their own, without
 * threads and without waiting, and the scheduler that decides on them. Their chains grow, and an
 * agent that has had its turns is followed by another. Events and decisions of one load are always
 * the same. Not thread-safe.
 */
final class DecisionWorld {

  /** A page as long as that makes a working set of 50 pages one of 25,600 tokens. */
  private static final int PAGE_TOKENS = 512;

  private static final double TURN_SECONDS = 4;
  private static final double AWAY_SECONDS = 2;
  private static final double LONG_AWAY_SECONDS = 60;
  private static final double LONG_AWAY = 0.03;
  private static final int TURNS = 20;

  /** What happens at a time; where the scheduler has to decide on it, what. */
  private record Event(double at, long order, Supplier<Optional<Decision>> happens) {}

  /**
   * A decision that the scheduler has to make.
   *
   * @param arrival whether a request has come; else one has ended, or those that wait are tried
   * @param call of the scheduler
   * @param after what happens when its orders are carried out
   */
  record Decision(boolean arrival, Supplier<List<Orders>> call, Runnable after) {}

  /** One agent; its chain grows by a page a turn. */
  private static final class Agent {
    private final String name;
    private final long first;
    private int pages;
    private int turns;

    Agent(long number, int pages, int turns) {
      this.name = "agent-" + number;
      this.first = number << 16;
      this.pages = pages;
      this.turns = turns;
    }

    long[] chain() {
      long[] chain = new long[pages];
      for (int i = 0; i < pages; i++) {
        chain[i] = first + i;
      }
      return chain;
    }
  }

  private final DecisionLoad load;
  private final SplittableRandom random;
  private final ClusterState cluster;
  private final WorkingSetScheduler scheduler;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingDouble(Event::at).thenComparingLong(Event::order));
  private final Map<Long, Agent> waiting = new HashMap<>();
  private final Map<Long, Agent> running = new HashMap<>();
  private long order;
  private long agents;
  private long requests;
  private double now;

  /** With all agents about to ask. */
  DecisionWorld(DecisionLoad load) {
    this.load = load;
    random = new SplittableRandom(load.seed());
    cluster =
        new ClusterState(
            new ScheduleSettings(
                new PrefillSpeed(10_000, 50_000),
                64,
                30,
                60,
                load.cachePages(),
                load.cachePages()));
    for (int i = 0; i < load.replicas(); i++) {
      cluster.join("r" + i);
      cluster.cacheHolds("r" + i, load.cachePages());
    }
    scheduler =
        new WorkingSetScheduler(
            WorkingSetSettings.DEFAULT,
            cluster,
            id -> Access.OPEN,
            id -> EvictionControl.HINTS,
            PAGE_TOKENS);
    for (int i = 0; i < load.agents(); i++) {
      // From the first on some are at their last turns.
      int had = random.nextInt(TURNS);
      Agent agent = new Agent(agents++, load.pages() - TURNS / 2 + had, TURNS - had);
      at(random.nextDouble() * AWAY_SECONDS, () -> asks(agent));
    }
  }

  /** What is to be decided next: everything before it happens. */
  Decision next() {
    Optional<Decision> decision = Optional.empty();
    while (decision.isEmpty()) {
      Event event = events.remove();
      now = event.at();
      decision = event.happens().get();
    }
    return decision.get();
  }

  /** Has happen what was decided. */
  void carryOut(Decision decision, List<Orders> orders) {
    orders.forEach(this::carryOut);
    decision.after().run();
  }

  /** Requests that wait. */
  int waiting() {
    return waiting.size();
  }

  private void at(double when, Supplier<Optional<Decision>> happens) {
    events.add(new Event(when, order++, happens));
  }

  private Optional<Decision> asks(Agent agent) {
    long number = ++requests;
    long[] chain = agent.chain();
    waiting.put(number, agent);
    Ask ask =
        Ask.even(chain, PAGE_TOKENS, (long) chain.length * PAGE_TOKENS).withOutput(PAGE_TOKENS);
    return Optional.of(
        new Decision(
            true,
            () -> List.of(scheduler.arrived(number, agent.name, ask, agent.turns == 1, now)),
            () -> {}));
  }

  private void carryOut(Orders orders) {
    for (Orders.Started started : orders.started()) {
      running.put(started.request(), waiting.remove(started.request()));
      double takes = started.run().prefillSeconds() + TURN_SECONDS * random.nextDouble();
      at(
          now + takes / 2,
          () -> {
            scheduler.firstToken(started.request(), started.run().cachedBlocks(), now);
            return Optional.empty();
          });
      at(now + takes, () -> ends(started.request()));
    }
    orders
        .wakeAt()
        .ifPresent(when ->
            at(
                when,
                () ->
                    Optional.of(
                        new Decision(false, () -> List.of(scheduler.tried(now)), () -> {}))));
  }

  private Optional<Decision> ends(long request) {
    Agent agent = running.remove(request);
    double mean = random.nextDouble() < LONG_AWAY ? LONG_AWAY_SECONDS : AWAY_SECONDS;
    double away = -mean * Math.log(1 - random.nextDouble());
    agent.turns--;
    agent.pages++;
    boolean goesOn = agent.turns > 0;
    // Half of them say when they come back.
    OptionalDouble back =
        goesOn && random.nextBoolean() ? OptionalDouble.of(away) : OptionalDouble.empty();
    return Optional.of(
        new Decision(
            false,
            () ->
                List.of(
                    scheduler.ended(request, back, OptionalInt.empty(), true, now),
                    scheduler.tried(now)),
            () -> {
              Agent next = goesOn ? agent : new Agent(agents++, load.pages() - TURNS / 2, TURNS);
              at(now + away, () -> asks(next));
            }));
  }
}
