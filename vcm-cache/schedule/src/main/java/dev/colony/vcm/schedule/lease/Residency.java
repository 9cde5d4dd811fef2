package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.Orders;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.lease.AgentLeases.Granted;
import dev.colony.vcm.schedule.lease.AgentLeases.Waiting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Tells the scheduler what agents do, and carries out what it orders: who has a place where, and
 * who has to leave one.
 */
final class Residency {

  private static final long NONE = 0;

  private final Map<String, AgentLeases> agents;
  private final WorkingSetScheduler scheduler;
  private final Departures departures;
  private final Grants grants;
  private final List<LeaseOrder> out;
  private final Map<Long, AgentLeases> byRequest = new LinkedHashMap<>();
  private long nextRequest = 1;
  private double wakeAt = Double.POSITIVE_INFINITY;
  private long pagedOut;

  Residency(
      Map<String, AgentLeases> agents,
      WorkingSetScheduler scheduler,
      Departures departures,
      Grants grants,
      List<LeaseOrder> out) {
    this.agents = agents;
    this.scheduler = scheduler;
    this.departures = departures;
    this.grants = grants;
    this.out = out;
  }

  /** How many agents had to leave for others. */
  long pagedOut() {
    return pagedOut;
  }

  /** When those that wait are to be tried again though nothing happened. */
  double wakeAt() {
    return wakeAt;
  }

  /**
   * Hands a wait to the scheduler; an agent that is resident by an earlier lease stays there,
   * unless that is where it may not go any more.
   */
  void asks(AgentLeases agent, Waiting waiting, double now) {
    waiting.request = nextRequest++;
    byRequest.put(waiting.request, agent);
    agent.current.ifPresent(before -> superseded(agent, before, waiting, now));
    if (scheduler.home(agent.agent).filter(waiting.prompt.excluded()::contains).isPresent()) {
      carryOut(scheduler.left(agent.agent, false, now), now);
    }
    carryOut(
        scheduler.home(agent.agent).isPresent()
            ? scheduler.began(waiting.request, agent.agent, waiting.prompt, now)
            : scheduler.arrived(
                waiting.request, agent.agent, waiting.prompt, false, waiting.since, now),
        now);
  }

  private void superseded(AgentLeases agent, Granted before, Waiting waiting, double now) {
    ends(before, now);
    if (before.of(waiting.holder)) {
      agent.current = Optional.empty();
    } else {
      departures.recalled(agent, before);
    }
  }

  /** A wait ends without a lease. */
  void withdrawn(AgentLeases agent, Waiting waiting, double now) {
    agent.waiting = Optional.empty();
    grants.forget(agent);
    cancelled(waiting, now);
    if (waiting.replica.isPresent()) {
      carryOut(scheduler.left(agent.agent, false, now), now);
    }
  }

  private void cancelled(Waiting waiting, double now) {
    byRequest.remove(waiting.request);
    carryOut(
        scheduler.ended(waiting.request, OptionalDouble.empty(), OptionalInt.empty(), false, now),
        now);
  }

  /** The replica is gone at which an agent was to have its place: it needs another. */
  void asksElsewhere(AgentLeases agent, Waiting waiting, double now) {
    cancelled(waiting, now);
    waiting.replica = Optional.empty();
    waiting.behind.clear();
    asks(agent, waiting, now);
  }

  /** A resident has begun another turn, of that prompt; the one before has ended. */
  void begins(AgentLeases agent, Granted lease, Ask prompt, double now) {
    // An agent that never rests is idle at this moment only.
    carryOut(scheduler.triedOverdue(now), now);
    if (agent.current.filter(lease::equals).isEmpty()) {
      return;
    }
    lease.request = nextRequest++;
    byRequest.put(lease.request, agent);
    carryOut(scheduler.began(lease.request, agent.agent, prompt, now), now);
  }

  /** A resident's turn has ended, if one ran; nothing is known of the next. */
  void ends(Granted lease, double now) {
    ends(lease, OptionalDouble.empty(), OptionalInt.empty(), now);
  }

  /** A resident's turn has ended, if one ran. */
  void ends(Granted lease, OptionalDouble returnsIn, OptionalInt remainingTurns, double now) {
    if (lease.request != NONE) {
      long request = lease.request;
      lease.request = NONE;
      byRequest.remove(request);
      carryOut(scheduler.ended(request, returnsIn, remainingTurns, true, now), now);
    }
  }

  /** A resident is idle, by its holder's word. */
  void idle(AgentLeases agent, Granted lease, Report.Idle idle, double now) {
    if (lease.request != NONE) {
      ends(lease, idle.returnsIn(), idle.remainingTurns(), now);
      tryWaiting(now);
    } else if (scheduler.declared(agent.agent, idle.returnsIn(), idle.remainingTurns(), now)) {
      tryWaiting(now);
    }
  }

  /** The first token of a resident's turn has come. */
  void firstToken(Granted lease, double now) {
    if (lease.request != NONE) {
      scheduler.firstToken(lease.request, now);
    }
  }

  /** An agent is resident by a lease that an earlier authority has granted. */
  void restored(AgentLeases agent, Granted lease, double now) {
    scheduler.placed(agent.agent, lease.lease.replica(), lease.blocks, now);
    agent.current = Optional.of(lease);
  }

  /** A resident's lease ends at once. */
  void leaves(AgentLeases agent, Granted lease, double now) {
    agent.current = Optional.empty();
    ends(lease, now);
    carryOut(scheduler.left(agent.agent, false, now), now);
  }

  /** An agent is forgotten, which has no lease and asks for none. */
  void forgotten(AgentLeases agent, double now) {
    carryOut(scheduler.left(agent.agent, true, now), now);
  }

  /** Tries those that wait; an authority that still listens has handed over none. */
  void tryWaiting(double now) {
    carryOut(scheduler.tried(now), now);
  }

  private void carryOut(Orders orders, double now) {
    for (Orders.PagedOut one : orders.pagedOut()) {
      AgentLeases agent = agents.get(one.unit());
      agent.current.ifPresent(lease -> {
        pagedOut++;
        departures.recalled(agent, lease);
      });
    }
    orders.evictions().forEach(departures::evicted);
    orders.touches().forEach(touch -> out.add(new LeaseOrder.Touched(touch)));
    for (Orders.Started started : orders.started()) {
      AgentLeases agent = byRequest.get(started.request());
      agent
          .waiting
          .filter(waiting -> waiting.request == started.request())
          .ifPresent(waiting -> {
            waiting.replica = Optional.of(started.run().replica());
            waiting.behind.addAll(departures.before(agent, started.run().replica()));
            grants.look(agent);
          });
    }
    if (orders.wakeAt().isPresent()) {
      wakeAt = orders.wakeAt().getAsDouble();
    } else if (wakeAt <= now) {
      wakeAt = Double.POSITIVE_INFINITY;
    }
  }
}
