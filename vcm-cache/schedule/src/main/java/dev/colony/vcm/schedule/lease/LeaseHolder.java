package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * A node's side of its agents' leases: what each of them may do without asking, and what is to be
 * reported. A turn under a valid lease asks the authority nothing.
 *
 * <p>A lease that has been recalled is given back at once, or when the turn that runs has ended.
 * One that has run out while a turn runs is not valid any more; the turn goes on without.
 *
 * <p>An event costs O(1); {@link #reports} and {@link #expire} cost O(agents that hold or ask).
 */
public final class LeaseHolder {

  private static final long NONE = 0;

  /** An agent that holds a lease or asks for one. */
  static final class Held {
    final String agent;
    final long incarnation;

    /** Its wait; the last one's name where it has a lease. */
    long ask = NONE;

    boolean asking;

    /** Whether the authority has said that it has to wait. */
    boolean toWait;

    boolean parked;
    double since;
    Ask prompt;
    Optional<Lease> lease = Optional.empty();
    double until;
    boolean recalled;
    boolean running;
    long turn;

    /** The last turn whose prompt the authority has. */
    long told;

    OptionalDouble returnsAt = OptionalDouble.empty();
    OptionalInt remainingTurns = OptionalInt.empty();

    /** Whether there is something new to tell. */
    boolean changed = true;

    boolean ended;
    double sentAt = Double.NEGATIVE_INFINITY;

    Held(String agent, long incarnation, Ask prompt) {
      this.agent = agent;
      this.incarnation = incarnation;
      this.prompt = prompt;
    }
  }

  private final String holder;
  private final LeaseTimes times;
  private final Map<String, Held> agents = new LinkedHashMap<>();
  private long reported;
  private long asks;

  /**
   * @param holder names this node, unlike any that was before
   */
  public LeaseHolder(String holder, LeaseTimes times) {
    this.holder = holder;
    this.times = times;
  }

  /**
   * An agent is about to have a turn.
   *
   * @param incarnation of the agent: higher than at any node where it was before; from 0 to 2^23
   * @param prompt the blocks that it is expected to need, where nothing better is known, and the
   *     replicas that it may not go to
   * @param waitedSeconds how long it has waited for this already
   * @return the lease under which it begins; empty where it has to wait until {@link #on} says that
   *     it is granted
   */
  public Optional<Lease> begins(
      String agent, long incarnation, Ask prompt, double waitedSeconds, double now) {
    expire(now);
    Held held = agents.get(agent);
    if (held == null || held.incarnation < incarnation) {
      held = new Held(agent, incarnation, held == null ? prompt : held.prompt);
      agents.put(agent, held);
    }
    if (held.lease.isPresent()) {
      if (!held.running) {
        held.running = true;
        held.turn++;
        held.changed = true;
      }
      return held.lease;
    }
    if (!held.asking) {
      held.asking = true;
      held.prompt = held.prompt.excluding(prompt.excluded());
      held.ask = ++asks;
      held.toWait = false;
      held.since = now - waitedSeconds;
      held.ended = false;
      held.changed = true;
    }
    held.parked = false;
    return Optional.empty();
  }

  /**
   * A model call of an agent begins: it has that prompt.
   *
   * @return the lease by which it goes to a replica; empty where the agent has none
   */
  public Optional<Lease> calls(String agent, Ask prompt, double now) {
    expire(now);
    Held held = agents.get(agent);
    if (held == null) {
      return Optional.empty();
    }
    held.prompt = prompt;
    if (held.lease.isPresent()) {
      held.running = true;
      held.turn++;
      held.changed = true;
    }
    return held.lease;
  }

  /**
   * An agent's turn has ended, or more is known of when it has its next one.
   *
   * @param returnsIn in how many seconds the next one begins, where that is known
   * @param remainingTurns how many there are still to be, where that is known
   */
  public void rests(
      String agent, OptionalDouble returnsIn, OptionalInt remainingTurns, double now) {
    expire(now);
    Held held = agents.get(agent);
    if (held == null) {
      return;
    }
    OptionalDouble returnsAt =
        returnsIn.isPresent()
            ? OptionalDouble.of(now + returnsIn.getAsDouble())
            : OptionalDouble.empty();
    held.changed |=
        held.running
            || !held.returnsAt.equals(returnsAt)
            || !held.remainingTurns.equals(remainingTurns);
    held.returnsAt = returnsAt;
    held.remainingTurns = remainingTurns;
    held.running = false;
    if (held.recalled) {
      releases(held);
    }
  }

  /** Whether the authority has answered an agent that asks: it has to wait. */
  public boolean hasToWait(String agent) {
    Held held = agents.get(agent);
    return held != null && held.asking && held.toWait;
  }

  /** An agent that asks is to wait in no memory: it is woken when it is granted. */
  public void parks(String agent) {
    Held held = agents.get(agent);
    if (held != null && held.asking) {
      held.parked = true;
      held.changed = true;
    }
  }

  /**
   * An agent needs its lease no longer, nor waits for one.
   *
   * @param ended whether it has nothing more to do
   */
  public void ends(String agent, boolean ended) {
    Held held = agents.get(agent);
    if (held != null) {
      held.ended = ended;
      held.asking = false;
      releases(held);
    }
  }

  private static void releases(Held held) {
    held.lease = Optional.empty();
    held.recalled = false;
    held.running = false;
    held.changed = true;
  }

  /** The lease that an agent holds now. */
  public Optional<Lease> lease(String agent, double now) {
    Held held = agents.get(agent);
    return held == null || held.until <= now ? Optional.empty() : held.lease;
  }

  /**
   * Takes what the authority says.
   *
   * @return whether an agent that waited has a lease now, and its turn has begun
   */
  public boolean on(LeaseOrder.ToHolder order, double now) {
    expire(now);
    Held held = agents.get(order.agent());
    if (held == null) {
      return false;
    }
    return switch (order) {
      case LeaseOrder.Granted granted -> granted(held, granted, now);
      case LeaseOrder.Renewed renewed -> {
        if (holds(held, renewed.lease())) {
          held.until = Math.max(held.until, renewed.sentAt() + times.termSeconds());
          held.told = Math.max(held.told, renewed.turn());
        }
        yield false;
      }
      case LeaseOrder.Recalled recalled -> {
        recalled(held, recalled);
        yield false;
      }
      case LeaseOrder.Ended ended -> {
        if (holds(held, ended.lease())) {
          held.lease = Optional.empty();
          held.recalled = false;
        }
        yield false;
      }
      case LeaseOrder.Tell tell -> {
        held.told = -1;
        held.changed = true;
        yield false;
      }
      case LeaseOrder.Held wait -> {
        held.toWait |= held.asking && wait.ask() == held.ask;
        yield false;
      }
    };
  }

  private boolean granted(Held held, LeaseOrder.Granted granted, double now) {
    double until = granted.sentAt() + times.termSeconds();
    boolean newer = held.lease.isEmpty() || held.lease.get().epoch() < granted.lease().epoch();
    if (granted.ask() != held.ask || !newer || until <= now) {
      return false;
    }
    boolean waited = held.asking;
    if (!waited && held.lease.isEmpty()) {
      // It has had this lease already, and lost it.
      return false;
    }
    held.lease = Optional.of(granted.lease());
    held.until = until;
    held.recalled = false;
    held.asking = false;
    held.parked = false;
    held.running |= waited;
    held.turn = 0;
    held.told = 0;
    held.changed = true;
    return waited;
  }

  private void recalled(Held held, LeaseOrder.Recalled recalled) {
    if (holds(held, recalled.lease())) {
      held.recalled = true;
      if (!held.running) {
        releases(held);
      }
    } else if (held.asking && recalled.ask() == held.ask) {
      // The grant is on its way, and void: the next wait is another one.
      held.ask = ++asks;
      held.toWait = false;
      held.changed = true;
    }
  }

  private static boolean holds(Held held, Lease lease) {
    return held.lease.filter(own -> own.epoch() == lease.epoch()).isPresent();
  }

  /** Ends the leases that have run out. */
  public void expire(double now) {
    for (Held held : agents.values()) {
      if (held.lease.isPresent() && held.until <= now) {
        held.lease = Optional.empty();
        held.recalled = false;
      }
    }
  }

  /** What is to be sent now: what has changed, and what was not repeated for some time. */
  public List<Report> reports(double now) {
    expire(now);
    List<Report> reports = new ArrayList<>();
    for (Held held : List.copyOf(agents.values())) {
      boolean due = now - held.sentAt >= times.renewSeconds();
      if (held.changed || (due && (held.lease.isPresent() || held.asking))) {
        long number = (held.incarnation << 40) + ++reported;
        reports.add(new Report(holder, held.agent, number, now, status(held, now)));
        held.changed = false;
        held.sentAt = now;
      }
      if (held.parked || (held.lease.isEmpty() && !held.asking && !held.running)) {
        agents.remove(held.agent);
      }
    }
    return reports;
  }

  private Report.Status status(Held held, double now) {
    if (held.asking) {
      return new Report.Asking(held.ask, held.prompt, now - held.since, held.parked);
    }
    if (held.lease.isEmpty()) {
      return new Report.Released(held.ended);
    }
    Optional<Ask> prompt = held.told >= held.turn ? Optional.empty() : Optional.of(held.prompt);
    if (held.running) {
      return new Report.Running(held.lease.get(), held.turn, prompt);
    }
    OptionalDouble returnsIn =
        held.returnsAt.isPresent()
            ? OptionalDouble.of(Math.max(0, held.returnsAt.getAsDouble() - now))
            : OptionalDouble.empty();
    return new Report.Idle(held.lease.get(), held.turn, prompt, returnsIn, held.remainingTurns);
  }

  /** Which turn of its lease an agent is in; 0 where it has none. */
  public long turn(String agent) {
    Held held = agents.get(agent);
    return held == null ? 0 : held.turn;
  }

  /** How many agents hold a lease. */
  public int holding() {
    return (int) agents.values().stream().filter(held -> held.lease.isPresent()).count();
  }

  /** For tests: what is known of the agents. */
  Map<String, Held> agents() {
    return agents;
  }

  /**
   * How long leases last. Holders and authority must have the same.
   *
   * @param termSeconds a lease that is not renewed ends after that, by the holder's clock from when
   *     it sent what the last renewal answers, by the authority's from when it answered; above 0
   * @param renewSeconds after which a holder repeats how things stand; above 0, at most half a term
   * @param graceSeconds for which an authority that has just begun grants nothing: leases that its
   *     predecessor granted, and that no holder reports, have ended by then; at least a term
   * @param pickupSeconds for which a lease is kept for an agent that waits in no node's memory,
   *     from when it is told to go on; at least a term
   * @param forgetSeconds after which an agent is forgotten that holds no lease and asks for none;
   *     at least a term
   */
  public record LeaseTimes(
      double termSeconds,
      double renewSeconds,
      double graceSeconds,
      double pickupSeconds,
      double forgetSeconds) {

    public LeaseTimes {
      if (!(termSeconds > 0)
          || !(renewSeconds > 0 && 2 * renewSeconds <= termSeconds)
          || !(graceSeconds >= termSeconds)
          || !(pickupSeconds >= termSeconds)
          || !(forgetSeconds >= termSeconds)) {
        throw new IllegalArgumentException(
            "term %s, renew %s, grace %s, pickup %s, forget %s"
                .formatted(termSeconds, renewSeconds, graceSeconds, pickupSeconds, forgetSeconds));
      }
    }
  }
}
