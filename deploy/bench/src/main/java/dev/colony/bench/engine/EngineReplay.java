package dev.colony.bench.engine;

import dev.colony.replica.kv.BlockPool;
import dev.colony.replica.kv.Scheduler;
import dev.colony.replica.kv.Scheduler.Limits;
import dev.colony.replica.kv.Scheduler.Step;
import dev.colony.replica.kv.Sequence;
import dev.colony.replica.kv.TimeModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Plays recorded requests on engines whose clock is a number: the scheduler, the block pool and the
 * times of the embedded replica, step after step, each request at the replica that the recording
 * names. Equal recordings give equal figures.
 */
public final class EngineReplay {

  /**
   * The engines.
   *
   * @param replicas from 1
   * @param blocks of each cache
   */
  public record Engines(int replicas, int blocks, Limits limits, TimeModel time) {}

  /** When requests arrive. */
  public enum Arrivals {
    /**
     * Where they follow others, after these have ended here. What is slower here delays what
     * depends on it, and where caches are crowded small differences grow.
     */
    FOLLOWING,
    /** When they did in the recording, whatever has ended here by then. */
    RECORDED
  }

  /** What became of a request; times in seconds, -1 before they are known. */
  static final class Played {
    private double arrived = -1;
    private double first = -1;
    private double ended = -1;
    private int replica = -1;
    private int hitBlocks;

    double arrived() {
      return arrived;
    }

    double ended() {
      return ended;
    }

    int replica() {
      return replica;
    }

    int hitBlocks() {
      return hitBlocks;
    }

    double firstTokenSeconds() {
      return first - arrived;
    }
  }

  private enum Kind {
    ARRIVAL,
    STEP,
    WAKE
  }

  private record Event(double at, long order, Kind kind, int subject) {}

  private static final class Replica {
    private final BlockPool pool;
    private final Scheduler scheduler;
    private Step step;

    Replica(Engines engines) {
      this.pool = new BlockPool(engines.blocks(), UNHEARD);
      this.scheduler = new Scheduler(pool, engines.limits());
    }
  }

  private static final BlockPool.Listener UNHEARD =
      new BlockPool.Listener() {
        @Override
        public void stored(Sequence sequence, int first, int blocks) {}

        @Override
        public void removed(long hash, boolean last) {}

        @Override
        public void cleared() {}
      };

  private final Engines engines;
  private final Arrivals arrivals;
  private final List<TracedCall> calls;
  private final List<Decision> decisions;
  private final Replica[] replicas;
  private final Played[] played;
  private final int[] open;
  private final List<List<Integer>> followers = new ArrayList<>();
  private final List<Integer> held = new ArrayList<>();
  private final Map<Sequence, Integer> numbers = new HashMap<>();

  /** The chained hash of each block that was sent, by its name in the trace. */
  private final Map<Integer, Long> hashes = new HashMap<>();

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingDouble(Event::at).thenComparingLong(Event::order));
  private long order;
  private double now;
  private int preemptions;

  EngineReplay(Engines engines, Arrivals arrivals, Recording recording) {
    this.engines = engines;
    this.arrivals = arrivals;
    this.calls = recording.calls();
    this.decisions = recording.decisions();
    this.replicas = new Replica[engines.replicas()];
    Arrays.setAll(replicas, number -> new Replica(engines));
    this.played = new Played[calls.size()];
    Arrays.setAll(played, number -> new Played());
    this.open = new int[calls.size()];
    calls.forEach(call -> followers.add(new ArrayList<>()));
    for (int number = 0; number < calls.size(); number++) {
      for (int before : calls.get(number).after()) {
        if (before < calls.size() && arrivals == Arrivals.FOLLOWING) {
          followers.get(before).add(number);
          open[number]++;
        }
      }
    }
  }

  /**
   * Plays all requests to their ends.
   *
   * @throws IllegalStateException if requests wait for one that waits for them
   */
  List<Played> run() {
    for (int number = 0; number < calls.size(); number++) {
      if (open[number] == 0) {
        schedule(
            switch (arrivals) {
              case FOLLOWING -> calls.get(number).atSeconds();
              case RECORDED -> decisions.get(number).arrivedAt();
            },
            Kind.ARRIVAL,
            number);
      }
    }
    for (Event event = events.poll(); event != null; event = events.poll()) {
      now = event.at();
      switch (event.kind()) {
        case ARRIVAL -> arrived(event.subject());
        case STEP -> stepped(replicas[event.subject()], event.subject());
        case WAKE -> goOn();
      }
    }
    if (Arrays.stream(played).anyMatch(call -> call.ended < 0)) {
      throw new IllegalStateException("requests of the recording wait for one another");
    }
    return List.of(played);
  }

  /** How often a running request lost its blocks to others. */
  int preemptions() {
    return preemptions;
  }

  private void schedule(double at, Kind kind, int subject) {
    events.add(new Event(at, order++, kind, subject));
  }

  private void arrived(int number) {
    played[number].arrived = now;
    if (mayGo(number)) {
      send(number);
    } else {
      held.add(number);
      double notBefore = decisions.get(number).notBefore();
      if (notBefore > now) {
        schedule(notBefore, Kind.WAKE, number);
      }
    }
  }

  private boolean mayGo(int number) {
    Decision decision = decisions.get(number);
    return decision.notBefore() <= now
        && Arrays.stream(decision.after()).allMatch(before -> played[before].ended >= 0);
  }

  private void goOn() {
    for (int number : held.stream().filter(this::mayGo).toList()) {
      held.remove((Integer) number);
      send(number);
    }
  }

  private void send(int number) {
    TracedCall call = calls.get(number);
    int blockTokens = engines.limits().blockTokens();
    int[] prompt = new int[call.promptTokens()];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = call.blocks()[i / blockTokens];
    }
    // No other reply has the same tokens, and no prompt: names of blocks are not negative.
    int[] reply = new int[call.replyTokens()];
    Arrays.fill(reply, -1 - number);
    Sequence sequence = new Sequence(prompt, reply, blockTokens, "");
    for (int block = 0; block < prompt.length / blockTokens; block++) {
      hashes.put(call.blocks()[block], sequence.chain()[block]);
    }
    Decision decision = decisions.get(number);
    Replica replica = replicas[decision.replica()];
    played[number].replica = decision.replica();
    replica.pool.evictNext(named(decision.drop()));
    numbers.put(sequence, number);
    replica.scheduler.add(sequence);
    step(replica, decision.replica());
  }

  private long[] named(int[] blocks) {
    return Arrays.stream(blocks).filter(hashes::containsKey).mapToLong(hashes::get).toArray();
  }

  /** Begins a step where none is under way and there is anything to compute. */
  private void step(Replica replica, int number) {
    if (replica.step == null && replica.scheduler.running() + replica.scheduler.waiting() > 0) {
      replica.step = replica.scheduler.schedule();
      preemptions += replica.step.preempted();
      schedule(now + engines.time().nanos(replica.step) / 1e9, Kind.STEP, number);
    }
  }

  private void stepped(Replica replica, int number) {
    Step step = replica.step;
    replica.step = null;
    boolean anyEnded = false;
    for (Sequence sequence : replica.scheduler.complete(step)) {
      Played call = played[numbers.get(sequence)];
      if (sequence.generated() == 1) {
        call.first = now;
        call.hitBlocks = sequence.hitTokens() / engines.limits().blockTokens();
      }
      if (sequence.over()) {
        ended(numbers.remove(sequence), replica);
        anyEnded = true;
      }
    }
    if (anyEnded) {
      goOn();
    }
    step(replica, number);
  }

  private void ended(int number, Replica replica) {
    played[number].ended = now;
    replica.pool.evictNext(named(decisions.get(number).dropAfter()));
    for (int follower : followers.get(number)) {
      if (--open[follower] == 0) {
        schedule(now + calls.get(follower).thinkSeconds(), Kind.ARRIVAL, follower);
      }
    }
  }
}
