package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.ScheduleSettings;
import dev.colony.vcm.schedule.workingset.EvictionControl;
import dev.colony.vcm.schedule.workingset.SchedulerView;
import dev.colony.vcm.schedule.workingset.WorkingSetScheduler;
import dev.colony.vcm.schedule.workingset.WorkingSetSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * The real authority, two real holders, two replicas and a few agents, in whole seconds: what may
 * happen next, what happens then, and what must never be. Messages arrive within their second, one
 * after the other on each way; as often as the budget has it they are late, lost, doubled or
 * overtaken.
 */
final class LeaseWorld {

  static final int BLOCK = 100;
  static final int TERM = 4;
  static final int BOUND = 3;
  private static final int TURN = 1;

  /** How long an agent stays away between two turns. */
  private static final int AWAY = 1;

  /** After how long one that waits in memory is parked, and one that is parked is looked at. */
  private static final int PATIENCE = 2;

  private static final long RESTARTS_APART = 1_000_000;
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
    REPLICA
  }

  private enum Phase {
    AWAY,
    ASKING,
    PARKED,
    RUNNING,
    DONE
  }

  /** An agent by what its node knows. */
  private static final class Agent {
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

  private record Message(Optional<Report> report, Optional<LeaseOrder.ToHolder> order, int at) {

    private Message later() {
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

  private final List<Agent> agents = new ArrayList<>();
  private final List<Message> network = new ArrayList<>();
  private final List<LeaseHolder> holders = new ArrayList<>();
  private Budget left;
  private int now;
  private int begun = 1;
  private boolean second;
  private WorkingSetScheduler scheduler;
  private LeaseAuthority authority;

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
    ClusterState cluster =
        new ClusterState(
            new ScheduleSettings(
                new PrefillSpeed(1e12, Double.POSITIVE_INFINITY), 8, 30, 60, 4, 8));
    // Averages of the past decide nothing here, so that states are equal that look alike.
    WorkingSetSettings settings =
        new WorkingSetSettings(BOUND, 0, 0, 0, 0, 1, 0.3, 0.1, 6, 4, 1, 16, 1e9);
    scheduler =
        new WorkingSetScheduler(
            settings, cluster, id -> Access.OPEN, id -> EvictionControl.HINTS, BLOCK);
    authority = new LeaseAuthority(TIMES, cluster, scheduler, begun++ * RESTARTS_APART, now);
    tell(new LeaseEvent.ReplicaUp("r0", 4));
    if (second) {
      tell(new LeaseEvent.ReplicaUp("r1", 4));
    }
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
              case OVERTAKE, LATE, LOSE, DOUBLE, RESTART, MOVE, REPLICA -> false;
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
      case REPLICA -> {
        second = !second;
        tell(second ? new LeaseEvent.ReplicaUp("r1", 4) : new LeaseEvent.ReplicaGone("r1"));
      }
    }
    left = left.without(step.kind());
    return wrong.isEmpty() ? wrong() : Optional.of(wrong.getFirst());
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
      } else if (agent.phase == Phase.PARKED && !patient && !authority.held(agent.name)) {
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
        case LeaseOrder.Evicted evicted -> evicted(evicted);
        case LeaseOrder.Touched touched -> {}
        case LeaseOrder.Expired expired -> {}
      }
    }
  }

  /** Blocks of a turn that runs under a valid lease are never evicted. */
  private void evicted(LeaseOrder.Evicted evicted) {
    Set<Long> gone = new HashSet<>();
    for (long block : evicted.eviction().blocks()) {
      gone.add(block);
    }
    for (int h = 0; h < holders.size(); h++) {
      for (LeaseHolder.Held held : holders.get(h).agents().values()) {
        boolean there =
            holders
                .get(h)
                .lease(held.agent, now)
                .filter(lease -> lease.replica().equals(evicted.eviction().replica()))
                .isPresent();
        // What runs at a node that the agent has left is refused what it writes.
        boolean stray =
            agents.stream()
                .anyMatch(agent ->
                    agent.name.equals(held.agent) && agent.incarnation != held.incarnation);
        if (there
            && held.running
            && !stray
            && Arrays.stream(held.prompt.blocks()).anyMatch(gone::contains)) {
          wrong.add("blocks of " + held.agent + " are evicted while it runs: " + gone);
        }
      }
    }
  }

  private Optional<String> wrong() {
    for (Agent agent : agents) {
      Set<String> places = new TreeSet<>();
      for (LeaseHolder holder : holders) {
        holder.lease(agent.name, now).ifPresent(lease -> places.add(lease.replica()));
      }
      if (places.size() > 1) {
        return Optional.of("two leases of " + agent.name + ": " + places);
      }
      for (LeaseHolder holder : holders) {
        Optional<Lease> lease = holder.lease(agent.name, now);
        if (lease.isPresent() && !authority.counts(now).rebuilding() && !known(lease.get())) {
          return Optional.of("the authority does not know " + lease.get());
        }
      }
      if (agent.waitsSince >= 0 && now - agent.waitsSince > limit()) {
        return Optional.of(agent.name + " waits for " + (now - agent.waitsSince) + " s");
      }
    }
    Map<String, String> homes = SchedulerView.homes(scheduler);
    for (AgentLeases one : authority.agents().values()) {
      String home = homes.remove(one.agent);
      String lease =
          one.current
              .map(current -> current.lease.replica())
              .or(() -> one.waiting.flatMap(waiting -> waiting.replica))
              .orElse(null);
      if (!java.util.Objects.equals(home, lease)) {
        return Optional.of(one.agent + " is resident at " + home + ", with a lease at " + lease);
      }
    }
    if (!homes.isEmpty() || !SchedulerView.claimsAreUnions(scheduler)) {
      return Optional.of("the claims are not those of the residents: " + homes);
    }
    return Optional.empty();
  }

  private boolean known(Lease lease) {
    AgentLeases one = authority.agents().get(lease.agent());
    return one != null
        && (one.leaving(lease.epoch()).isPresent()
            || one.current.filter(own -> own.lease.epoch() == lease.epoch()).isPresent());
  }

  /** The bound and a turn, and for what may go wrong a grace, a term or a message more. */
  private int limit() {
    return BOUND + 2 * TURN + 3 * TERM + PATIENCE + 6;
  }

  /** What decides about what happens from here, the same for states that differ in numbers only. */
  String fingerprint() {
    List<Long> epochs = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    authority
        .agents()
        .values()
        .forEach(one -> {
          one.current.ifPresent(lease -> epochs.add(lease.lease.epoch()));
          one.leaving.forEach(lease -> epochs.add(lease.lease.epoch()));
          one.leaving.forEach(lease -> numbers.add(lease.number));
          one.current.ifPresent(lease -> numbers.add(lease.number));
          numbers.add(one.number);
        });
    List<Long> asks = new ArrayList<>();
    holders.forEach(holder ->
        holder
            .agents()
            .values()
            .forEach(held -> {
              held.lease.ifPresent(lease -> epochs.add(lease.epoch()));
              asks.add(held.ask);
            }));
    authority
        .agents()
        .values()
        .forEach(one -> {
          one.waiting.ifPresent(waiting -> asks.add(waiting.ask));
          one.current.ifPresent(lease -> asks.add(lease.ask));
          one.leaving.forEach(lease -> asks.add(lease.ask));
        });
    for (Message message : network) {
      message
          .report()
          .ifPresent(report -> {
            numbers.add(report.number());
            switch (report.status()) {
              case Report.Asking asking -> asks.add(asking.ask());
              case Report.Running running -> epochs.add(running.lease().epoch());
              case Report.Idle idle -> epochs.add(idle.lease().epoch());
              case Report.Released released -> {}
            }
          });
      message
          .order()
          .ifPresent(order -> {
            switch (order) {
              case LeaseOrder.Granted granted -> {
                epochs.add(granted.lease().epoch());
                asks.add(granted.ask());
              }
              case LeaseOrder.Renewed renewed -> epochs.add(renewed.lease().epoch());
              case LeaseOrder.Recalled recalled -> {
                epochs.add(recalled.lease().epoch());
                asks.add(recalled.ask());
              }
              case LeaseOrder.Ended ended -> epochs.add(ended.lease().epoch());
              case LeaseOrder.Held held -> asks.add(held.ask());
              case LeaseOrder.Tell tell -> {}
            }
          });
    }
    Ranks ranks = new Ranks(rank(epochs), rank(numbers), rank(asks));
    StringBuilder text = new StringBuilder();
    text.append(left).append(second).append(authority.describe(now, ranks::of)).append('|');
    text.append(SchedulerView.describe(scheduler, now)).append('|');
    for (Agent agent : agents) {
      text.append(agent.name).append(agent.holder).append(agent.phase).append(agent.turns);
      text.append(Math.min(now - agent.since, PATIENCE + TERM)).append(',');
      text.append(agent.waitsSince < 0 ? -1 : now - agent.waitsSince).append(',');
      text.append(agent.stray < 0 ? -1 : now - agent.stray).append(';');
    }
    for (LeaseHolder holder : holders) {
      text.append('|');
      holder
          .agents()
          .values()
          .forEach(held ->
              text.append(held.agent)
                  .append(held.incarnation - agents.get(held.agent.charAt(0) - 'A').incarnation)
                  .append(ranks.of("ask", held.ask))
                  .append(held.asking)
                  .append(held.parked)
                  .append(held.running)
                  .append(held.recalled)
                  .append(held.toWait)
                  .append(held.changed)
                  .append(held.ended)
                  .append(held.lease.map(l -> l.replica() + ranks.of("epoch", l.epoch())))
                  .append(held.lease.isEmpty() ? 0 : held.until - now)
                  .append(',')
                  .append(held.turn)
                  .append(',')
                  .append(held.told)
                  .append(',')
                  .append(held.asking ? now - held.since : 0)
                  .append(',')
                  .append(Math.min(1, now - held.sentAt))
                  .append(
                      held.returnsAt.isPresent()
                          ? Math.max(0, held.returnsAt.getAsDouble() - now)
                          : -1)
                  .append(';'));
    }
    // In their order on each way, and in none between ways.
    List<String> messages =
        network.stream()
            .sorted(Comparator.comparing(Message::way))
            .map(message -> describe(message, ranks))
            .toList();
    return text.append(messages).toString();
  }

  private String describe(Message message, Ranks ranks) {
    String text = (now - message.at()) + "@";
    if (message.report().isPresent()) {
      Report report = message.report().get();
      text += report.holder() + report.agent() + ranks.of("number", report.number());
      text += (now - report.sentAt());
      return text
          + switch (report.status()) {
            case Report.Asking asking ->
                "asks" + ranks.of("ask", asking.ask()) + asking.waitedSeconds() + asking.parked();
            case Report.Running running ->
                "runs"
                    + ranks.of("epoch", running.lease().epoch())
                    + running.turn()
                    + running.prompt().isPresent();
            case Report.Idle idle ->
                "idle"
                    + ranks.of("epoch", idle.lease().epoch())
                    + idle.turn()
                    + idle.prompt().isPresent()
                    + idle.returnsIn();
            case Report.Released released -> "released" + released.ended();
          };
    }
    LeaseOrder.ToHolder order = message.order().orElseThrow();
    text += order.holder() + order.agent();
    return text
        + switch (order) {
          case LeaseOrder.Granted one ->
              "granted"
                  + one.lease().replica()
                  + ranks.of("epoch", one.lease().epoch())
                  + ranks.of("ask", one.ask())
                  + (now - one.sentAt());
          case LeaseOrder.Renewed one ->
              "renewed"
                  + ranks.of("epoch", one.lease().epoch())
                  + one.turn()
                  + (now - one.sentAt());
          case LeaseOrder.Recalled one ->
              "recalled" + ranks.of("epoch", one.lease().epoch()) + ranks.of("ask", one.ask());
          case LeaseOrder.Ended one -> "ended" + ranks.of("epoch", one.lease().epoch());
          case LeaseOrder.Held one -> "held" + ranks.of("ask", one.ask()) + one.reason();
          case LeaseOrder.Tell one -> "tell";
        };
  }

  private static List<Long> rank(List<Long> values) {
    return List.copyOf(new TreeSet<>(values));
  }

  private record Ranks(List<Long> epochs, List<Long> numbers, List<Long> asks) {
    int of(String kind, long value) {
      return switch (kind) {
        case "epoch" -> epochs.indexOf(value);
        case "number" -> numbers.indexOf(value);
        default -> asks.indexOf(value);
      };
    }
  }
}
