package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.ScheduleSettings;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.WorkingSetSettings;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The real authority, two real holders, two replicas and a few agents, in whole seconds: what may
 * happen next, what happens then, and what must never be. Messages arrive within their second, one
 * after the other on each way; as often as the budget has it they are late, lost, doubled or
 * overtaken.
 */
final class LeaseWorld {

  static final int BLOCK = 100;
  private static final PrefillSpeed SPEED = new PrefillSpeed(1e12, Double.POSITIVE_INFINITY);
  static final int TERM = 4;
  static final int BOUND = 3;
  static final int TURN = 1;

  /** How long an agent stays away between two turns. */
  private static final int AWAY = 1;

  /** After how long one that waits in memory is parked, and one that is parked is looked at. */
  static final int PATIENCE = 2;

  private static final long RESTARTS_APART = 1_000_000;

  /** Counts the authorities from 1, the next one: so many while the first one is there. */
  private static final int FIRST_BEGUN = 2;

  private static final LeaseTimes TIMES = new LeaseTimes(TERM, 1, TERM, TERM, 12);

  /**
   * What may go wrong, and how often.
   *
   * @param overtaken messages that arrive before others which were sent there before them
   * @param late messages that take a second longer
   * @param changes that the second replica goes, or comes
   */
  record Budget(
      int lost, int doubled, int overtaken, int late, int restarts, int moves, int changes) {

    private Budget without(Kind kind) {
      return new Budget(
          lost - (kind == Kind.LOSE ? 1 : 0),
          doubled - (kind == Kind.DOUBLE ? 1 : 0),
          overtaken - (kind == Kind.OVERTAKE ? 1 : 0),
          late - (kind == Kind.LATE ? 1 : 0),
          restarts - (kind == Kind.RESTART ? 1 : 0),
          moves - (kind == Kind.MOVE ? 1 : 0),
          changes - (kind == Kind.REPLICA ? 1 : 0));
    }
  }

  /** What happens; the numbers say to whom. */
  record Step(Kind kind, int which) {}

  enum Kind {
    TICK,
    BEGIN,
    END,
    STRAY_ENDS,
    DELIVER,
    OVERTAKE,
    LATE,
    LOSE,
    DOUBLE,
    RESTART,
    MOVE,
    REPLICA,

    /** The first authority learns that none was before it. */
    FIRST
  }

  enum Phase {
    AWAY,
    ASKING,
    PARKED,
    RUNNING,
    DONE
  }

  /** An agent by what its node knows. */
  static final class Agent {
    final String name;
    final Ask prompt;
    final int declared;
    int holder;
    int incarnation = 1;
    Phase phase = Phase.AWAY;
    int since;
    int turns;
    double waitsSince = -1;

    /** Since when a turn of it runs at a node where it is no longer; negative where none does. */
    int stray = -1;

    Agent(String name, Ask prompt, int declared, int turns, int holder) {
      this.name = name;
      this.prompt = prompt;
      this.declared = declared;
      this.turns = turns;
      this.holder = holder;
    }
  }

  record Message(Optional<Report> report, Optional<LeaseOrder.ToHolder> order, int at) {

    Message later() {
      return new Message(report, order, at + 1);
    }

    /** From where to where it goes. */
    String way() {
      return report
          .map(one -> one.holder() + " to the authority")
          .or(() -> order.map(one -> "the authority to " + one.holder()))
          .orElseThrow();
    }
  }

  final List<Agent> agents = new ArrayList<>();
  final List<Message> network = new ArrayList<>();
  final List<LeaseHolder> holders = new ArrayList<>();
  Budget left;
  int now;
  private int begun = 1;
  boolean second;
  WorkingSetScheduler scheduler;
  LeaseAuthority authority;

  /**
   * @param second whether the second replica is there from the start
   */
  LeaseWorld(Budget budget, int turns, boolean second) {
    left = budget;
    this.second = second;
    // They share their first block; a replica holds one of them and that.
    agents.add(new Agent("A", prompt(1, 2, 3), 8, turns, 0));
    agents.add(new Agent("B", prompt(1, 4, 5), 0, turns, 1));
    for (int i = 0; i < 2; i++) {
      holders.add(new LeaseHolder("h" + i, TIMES));
    }
    authority();
  }

  private static Ask prompt(long... blocks) {
    return Ask.even(blocks, BLOCK, (long) blocks.length * BLOCK);
  }

  private void authority() {
    ClusterState cluster = new ClusterState(new ScheduleSettings(SPEED, 8, 30, 60, 4, 8));
    // Averages of the past decide nothing here, so that states are equal that look alike.
    WorkingSetSettings settings =
        new WorkingSetSettings(BOUND, 0, 0, 0, 0, 1, 0.3, 0.1, 6, 4, 1, 16, 1e9);
    scheduler =
        new WorkingSetScheduler(
            settings, cluster, id -> Access.OPEN, id -> EvictionControl.HINTS, BLOCK);
    authority = new LeaseAuthority(TIMES, cluster, scheduler, begun++ * RESTARTS_APART, now);
    tell(new LeaseEvent.ReplicaUp("r0", 4, SPEED));
    if (second) {
      tell(new LeaseEvent.ReplicaUp("r1", 4, SPEED));
    }
  }

  /** What decides about what happens from here, the same for states that differ in numbers only. */
  String fingerprint() {
    return new LeaseFingerprint(this).text();
  }

  boolean done() {
    return agents.stream().allMatch(agent -> agent.phase == Phase.DONE);
  }

  /** What may happen next. */
  List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    boolean hurry = false;
    for (int i = 0; i < agents.size(); i++) {
      Agent agent = agents.get(i);
      int age = now - agent.since;
      switch (agent.phase) {
        case AWAY -> {
          steps.add(new Step(Kind.BEGIN, i));
          hurry |= age >= AWAY;
        }
        case RUNNING -> {
          steps.add(new Step(Kind.END, i));
          hurry |= age >= TURN;
        }
        case ASKING, PARKED, DONE -> {}
      }
      if (agent.stray >= 0) {
        steps.add(new Step(Kind.STRAY_ENDS, i));
        hurry |= now - agent.stray >= TURN;
      }
      if (left.moves() > 0 && agent.phase != Phase.DONE && agent.stray < 0) {
        steps.add(new Step(Kind.MOVE, i));
      }
    }
    Set<String> begun = new HashSet<>();
    for (int i = 0; i < network.size(); i++) {
      hurry |= now >= network.get(i).at();
      if (begun.add(network.get(i).way())) {
        steps.add(new Step(Kind.DELIVER, i));
      } else if (left.overtaken() > 0) {
        steps.add(new Step(Kind.OVERTAKE, i));
      }
      if (left.late() > 0 && network.get(i).at() == now) {
        steps.add(new Step(Kind.LATE, i));
      }
      if (left.lost() > 0) {
        steps.add(new Step(Kind.LOSE, i));
      }
      if (left.doubled() > 0) {
        steps.add(new Step(Kind.DOUBLE, i));
      }
    }
    if (left.restarts() > 0) {
      steps.add(new Step(Kind.RESTART, 0));
    }
    if (this.begun == FIRST_BEGUN && authority.counts(now).rebuilding()) {
      steps.add(new Step(Kind.FIRST, 0));
    }
    if (left.changes() > 0) {
      steps.add(new Step(Kind.REPLICA, 0));
    }
    if (!hurry) {
      steps.add(new Step(Kind.TICK, 0));
    }
    return steps;
  }

  /** What happens if all goes well: whatever is due, then time. */
  Step calm() {
    return steps().stream()
        .filter(step ->
            switch (step.kind()) {
              case DELIVER, BEGIN, END, STRAY_ENDS, TICK -> true;
              case OVERTAKE, LATE, LOSE, DOUBLE, RESTART, MOVE, REPLICA, FIRST -> false;
            })
        .min(
            Comparator.comparingInt(
                step -> step.kind() == Kind.DELIVER ? 0 : step.kind() == Kind.TICK ? 2 : 1))
        .orElseThrow();
  }

  /** Something happens. Returns what is wrong then; empty where nothing is. */
  Optional<String> happens(Step step) {
    int which = step.which();
    switch (step.kind()) {
      case TICK -> tick();
      case BEGIN -> begins(agents.get(which));
      case END -> {
        Agent agent = agents.get(which);
        agent.turns--;
        agent.since = now;
        agent.waitsSince = -1;
        LeaseHolder holder = holders.get(agent.holder);
        if (agent.turns == 0) {
          agent.phase = Phase.DONE;
          holder.ends(agent.name, true);
        } else {
          agent.phase = Phase.AWAY;
          holder.rests(agent.name, OptionalDouble.of(agent.declared), OptionalInt.empty(), now);
        }
      }
      case STRAY_ENDS -> {
        Agent agent = agents.get(which);
        agent.stray = -1;
        holders
            .get(1 - agent.holder)
            .rests(agent.name, OptionalDouble.empty(), OptionalInt.empty(), now);
      }
      case DELIVER, OVERTAKE -> deliver(network.remove(which));
      case LATE -> network.set(which, network.get(which).later());
      case LOSE -> network.remove(which);
      case DOUBLE -> deliver(network.get(which));
      case RESTART -> authority();
      case MOVE -> moves(agents.get(which));
      case FIRST -> tell(new LeaseEvent.NoneBefore());
      case REPLICA -> {
        second = !second;
        tell(second ? new LeaseEvent.ReplicaUp("r1", 4, SPEED) : new LeaseEvent.ReplicaGone("r1"));
      }
    }
    left = left.without(step.kind());
    return wrong.isEmpty() ? LeaseInvariants.broken(this) : Optional.of(wrong.getFirst());
  }

  private final List<String> wrong = new ArrayList<>();

  private void begins(Agent agent) {
    if (agent.waitsSince < 0) {
      agent.waitsSince = now;
    }
    Optional<Lease> lease =
        holders
            .get(agent.holder)
            .begins(agent.name, agent.incarnation, agent.prompt, now - agent.waitsSince, now);
    agent.phase = lease.isPresent() ? Phase.RUNNING : Phase.ASKING;
    agent.since = now;
  }

  /** It is recovered at the other node; what runs at the first one runs on for a while. */
  private void moves(Agent agent) {
    if (agent.phase == Phase.RUNNING) {
      agent.stray = agent.since;
    } else if (agent.phase == Phase.ASKING) {
      holders.get(agent.holder).ends(agent.name, false);
    }
    agent.holder = 1 - agent.holder;
    agent.incarnation++;
    agent.phase = Phase.AWAY;
    agent.since = now - AWAY;
  }

  private void tick() {
    now++;
    tell(new LeaseEvent.Ticked());
    for (Agent agent : agents) {
      boolean patient = now - agent.since < PATIENCE;
      boolean answered = holders.get(agent.holder).hasToWait(agent.name);
      boolean leaves = answered ? !patient : now - agent.since >= PATIENCE + TERM;
      if (agent.phase == Phase.ASKING && leaves) {
        holders.get(agent.holder).parks(agent.name);
        agent.phase = Phase.PARKED;
        agent.since = now;
      } else if (agent.phase == Phase.PARKED
          && !patient
          && !authority.held().contains(agent.name)) {
        // As the admission scheduler does with those that wait for capacity.
        begins(agent);
      }
    }
    for (LeaseHolder holder : holders) {
      holder
          .reports(now)
          .forEach(report -> network.add(new Message(Optional.of(report), Optional.empty(), now)));
    }
  }

  private void deliver(Message message) {
    message.report().ifPresent(report -> tell(new LeaseEvent.Reported(report)));
    message
        .order()
        .ifPresent(order -> {
          LeaseHolder holder = holders.get(order.holder().equals("h0") ? 0 : 1);
          boolean goes = holder.on(order, now);
          agents.stream()
              .filter(agent -> goes && agent.name.equals(order.agent()))
              .filter(agent -> holders.get(agent.holder) == holder)
              .filter(agent -> agent.phase == Phase.ASKING)
              .forEach(agent -> {
                agent.phase = Phase.RUNNING;
                agent.since = now;
              });
        });
  }

  private void tell(LeaseEvent event) {
    for (LeaseOrder order : authority.on(event, now)) {
      switch (order) {
        case LeaseOrder.ToHolder told ->
            network.add(new Message(Optional.empty(), Optional.of(told), now));
        case LeaseOrder.Woken woken ->
            agents.stream()
                .filter(agent -> agent.name.equals(woken.lease().agent()))
                .filter(agent -> agent.phase == Phase.PARKED)
                .forEach(this::begins);
        case LeaseOrder.Evicted evicted ->
            LeaseInvariants.evicted(this, evicted).ifPresent(wrong::add);
        case LeaseOrder.Touched touched -> {}
        case LeaseOrder.Expired expired -> {}
      }
    }
  }
}
