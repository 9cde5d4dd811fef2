package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.lease.AgentLeases.Granted;
import dev.colony.vcm.schedule.lease.AgentLeases.Waiting;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import dev.colony.vcm.schedule.lease.LeaseOrder.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Grants agents their leases, one at a time for each agent. There is one authority for all
 * replicas; which agent gets a place where, and who has to leave for it, its scheduler decides.
 *
 * <p>No two leases of an agent at different replicas are valid at the same time:
 *
 * <ul>
 *   <li>A lease is granted at another replica only when all earlier ones of the agent have ended,
 *       by their holders' word or because their terms are over. One that was recalled is renewed
 *       only while the agent's turn lasts.
 *   <li>An authority that has just begun grants nothing for its grace, which is at least a term.
 *       Meanwhile holders report the leases that they have, and it takes them as they are. One that
 *       is reported later is not valid any more. Its grace ends at once where it is told that none
 *       was before it.
 * </ul>
 *
 * <p>A lease for which others were paged out is granted once these have left, and what they leave
 * is evicted then: the blocks of a turn that runs under a lease are no one else's.
 *
 * <p>An event costs what the scheduler takes for it; time passing costs O(agents).
 */
public final class LeaseAuthority {

  private static final long NONE = 0;

  private final LeaseTimes times;
  private final ClusterState cluster;
  private final WorkingSetScheduler scheduler;
  private final double graceUntil;

  /** In an order that does not depend on when they came. */
  private final Map<String, AgentLeases> agents = new TreeMap<>();

  private final Set<String> replicas = new TreeSet<>();
  private final List<LeaseOrder> out = new ArrayList<>();
  private final Departures departures;
  private final Grants grants;
  private final Residency residency;
  private boolean rebuilding = true;
  private long expired;

  /**
   * @param cluster what the scheduler knows of the replicas; none yet
   * @param scheduler that no request was handed to yet
   * @param firstEpoch above those of all leases that authorities before have granted
   * @param now the authority's clock, in seconds
   */
  public LeaseAuthority(
      LeaseTimes times,
      ClusterState cluster,
      WorkingSetScheduler scheduler,
      long firstEpoch,
      double now) {
    this.times = times;
    this.cluster = cluster;
    this.scheduler = scheduler;
    this.departures = new Departures(agents, scheduler, out);
    this.grants = new Grants(times, out, firstEpoch);
    this.residency = new Residency(agents, scheduler, departures, grants, out);
    this.graceUntil = now + times.graceSeconds();
  }

  /**
   * Takes an event; what is to be said and done for it, in this order.
   *
   * @param now not before that of the event before
   */
  public List<LeaseOrder> on(LeaseEvent event, double now) {
    switch (event) {
      case LeaseEvent.Reported reported -> reported(reported.report(), now);
      case LeaseEvent.FirstToken first -> firstToken(first, now);
      case LeaseEvent.ReplicaUp up -> {
        replicas.add(up.replica());
        cluster.join(up.replica());
        cluster.computes(up.replica(), up.speed());
        if (up.blocks() > 0) {
          cluster.cacheHolds(up.replica(), up.blocks());
        }
        residency.tryWaiting(now);
      }
      case LeaseEvent.ReplicaGone gone -> replicaGone(gone.replica(), now);
      case LeaseEvent.HolderGone gone ->
          agents.values().stream()
              .flatMap(agent -> agent.waiting.stream())
              .filter(waiting -> waiting.holder.equals(gone.holder()))
              .forEach(waiting -> waiting.parked = true);
      case LeaseEvent.NoneBefore none -> {
        if (rebuilding) {
          rebuilt(now);
        }
      }
      case LeaseEvent.Ticked tick -> ticked(now);
    }
    grants.grant(now);
    List<LeaseOrder> orders = List.copyOf(out);
    out.clear();
    return orders;
  }

  /** How leases stand now. */
  public LeaseCounts counts(double now) {
    int leases = 0;
    int held = 0;
    double oldest = 0;
    for (AgentLeases agent : agents.values()) {
      leases += agent.current.isPresent() ? 1 : 0;
      if (agent.waiting.isPresent()) {
        held++;
        oldest = Math.max(oldest, now - agent.waiting.get().since);
      }
    }
    return new LeaseCounts(
        leases,
        held,
        oldest,
        grants.granted(),
        residency.pagedOut(),
        scheduler.forcedLoads(),
        expired,
        rebuilding);
  }

  /** The agents that wait for leases. */
  public Set<String> held() {
    return agents.values().stream()
        .filter(agent -> agent.waiting.isPresent())
        .map(agent -> agent.agent)
        .collect(Collectors.toSet());
  }

  /** For tests: what is known of the agents. */
  Map<String, AgentLeases> agents() {
    return agents;
  }

  /** For tests: how it stands itself; of its agents nothing. */
  String describe(double now) {
    double wakeAt = residency.wakeAt();
    return "%s%s%s"
        .formatted(
            rebuilding ? graceUntil - now : 0,
            replicas,
            wakeAt == Double.POSITIVE_INFINITY ? "" : Math.max(0, wakeAt - now));
  }

  private void reported(Report report, double now) {
    AgentLeases agent = agents.computeIfAbsent(report.agent(), AgentLeases::new);
    boolean stale = report.number() <= agent.number;
    if (!stale) {
      agent.number = report.number();
      agent.heard = now;
    }
    switch (report.status()) {
      case Report.Asking asking when !stale -> asking(agent, report, asking, now);
      case Report.Asking overtaken -> {}
      case Report.Running running ->
          holds(agent, report, running.lease(), running.turn(), running.prompt(), null, stale, now);
      case Report.Idle idle ->
          holds(agent, report, idle.lease(), idle.turn(), idle.prompt(), idle, stale, now);
      case Report.Released released -> released(agent, report, released.ended(), stale, now);
    }
  }

  private void asking(AgentLeases agent, Report report, Report.Asking asking, double now) {
    String holder = report.holder();
    for (Granted lease : List.copyOf(agent.leaving)) {
      if (lease.of(holder) && lease.ask == asking.ask()) {
        // Its holder may still hear of the grant: it has to give this wait up.
        departures.again(lease);
        return;
      } else if (lease.of(holder)) {
        end(agent, lease);
      }
    }
    Optional<Granted> current = agent.current;
    if (current.isPresent() && current.get().of(holder) && current.get().ask == asking.ask()) {
      grants.again(current.get(), report, asking, now);
      return;
    }
    if (agent.waiting.isEmpty()) {
      Waiting waiting = new Waiting(holder, asking.prompt());
      waiting.since = now - asking.waitedSeconds();
      agent.waiting = Optional.of(waiting);
    }
    Waiting waiting = agent.waiting.get();
    waiting.heard(holder, asking, report.sentAt(), now);
    if (waiting.request == NONE && !rebuilding) {
      residency.asks(agent, waiting, now);
    }
    grants.look(agent);
    grants.grant(now);
    if (agent.waiting.isPresent() && !waiting.parked) {
      out.add(new LeaseOrder.Held(holder, agent.agent, waiting.ask, reason(waiting)));
    }
  }

  private Reason reason(Waiting waiting) {
    if (rebuilding) {
      return Reason.REBUILDING;
    }
    if (waiting.replica.isPresent()) {
      return Reason.LEAVING;
    }
    return replicas.isEmpty() ? Reason.NO_REPLICA : Reason.NO_ROOM;
  }

  /**
   * @param idle how it is idle; null where it runs
   */
  private void holds(
      AgentLeases agent,
      Report report,
      Lease lease,
      long turn,
      Optional<Ask> prompt,
      Report.Idle idle,
      boolean stale,
      double now) {
    if (!stale) {
      // It has heard of a grant by now, perhaps of an earlier authority.
      withdraws(agent, report.holder(), now);
    }
    Optional<Granted> leaving = agent.leaving(lease.epoch());
    boolean known =
        agent.current.filter(one -> one.lease.epoch() == lease.epoch()).isPresent()
            || leaving.isPresent();
    if (leaving.isPresent()) {
      if (idle == null && !stale) {
        leaving.get().until = now + times.termSeconds();
        renewed(report, lease, leaving.get().turn);
      }
      departures.again(leaving.get());
      return;
    }
    if (known && stale) {
      return;
    }
    if (!known && (stale || !rebuilding)) {
      out.add(new LeaseOrder.Ended(report.holder(), lease));
      return;
    }
    if (!known) {
      if (prompt.isEmpty()) {
        out.add(new LeaseOrder.Tell(report.holder(), report.agent()));
        return;
      }
      restored(agent, report.holder(), lease, turn, prompt.get(), now);
    }
    agent
        .current
        .filter(current -> current.lease.epoch() == lease.epoch())
        .ifPresent(current -> resident(agent, current, report, turn, prompt, idle, now));
  }

  /** An agent's wait at a holder ends, where there is one. */
  private void withdraws(AgentLeases agent, String holder, double now) {
    agent
        .waiting
        .filter(waiting -> waiting.holder.equals(holder))
        .ifPresent(waiting -> residency.withdrawn(agent, waiting, now));
  }

  private void resident(
      AgentLeases agent,
      Granted lease,
      Report report,
      long turn,
      Optional<Ask> prompt,
      Report.Idle idle,
      double now) {
    lease.until = now + times.termSeconds();
    if (!turned(agent, lease, turn, prompt, idle == null, now)) {
      out.add(new LeaseOrder.Tell(report.holder(), report.agent()));
    }
    renewed(report, lease.lease, lease.turn);
    if (idle != null && lease.turn == turn && agent.current.filter(lease::equals).isPresent()) {
      residency.idle(agent, lease, idle, now);
    }
  }

  private void renewed(Report report, Lease lease, long turn) {
    out.add(new LeaseOrder.Renewed(report.holder(), lease, turn, report.sentAt()));
  }

  /**
   * Takes up the turn that a holder tells of, where it is another than the last one known.
   *
   * @return false where that needs the prompt
   */
  private boolean turned(
      AgentLeases agent, Granted lease, long turn, Optional<Ask> prompt, boolean runs, double now) {
    if (turn == lease.turn && (!runs || lease.request != NONE)) {
      return true;
    }
    if (prompt.isEmpty()) {
      return false;
    }
    residency.ends(lease, now);
    lease.turn = turn;
    lease.blocks = prompt.get().blocks();
    residency.begins(agent, lease, prompt.get(), now);
    return true;
  }

  /** A lease that an earlier authority has granted. */
  private void restored(
      AgentLeases agent, String holder, Lease lease, long turn, Ask prompt, double now) {
    grants.above(lease.epoch());
    Granted restored =
        new Granted(
            lease, holder, NONE, agent.number - 1, now + times.termSeconds(), prompt.blocks());
    restored.turn = turn;
    restored.told = true;
    Optional<Granted> other = agent.current;
    if (other.filter(one -> one.lease.epoch() > lease.epoch()).isPresent()) {
      departures.leaves(agent, restored);
      return;
    }
    other.ifPresent(one -> {
      residency.ends(one, now);
      departures.leaves(agent, one);
    });
    residency.restored(agent, restored, now);
  }

  private void released(
      AgentLeases agent, Report report, boolean ended, boolean stale, double now) {
    // Not those that were granted since.
    agent.leaving.stream()
        .filter(lease -> lease.of(report.holder()) && lease.number < report.number())
        .toList()
        .forEach(lease -> end(agent, lease));
    if (stale) {
      return;
    }
    withdraws(agent, report.holder(), now);
    agent
        .current
        .filter(lease -> lease.of(report.holder()))
        .ifPresent(lease -> residency.leaves(agent, lease, now));
    if (ended && agent.current.isEmpty() && agent.waiting.isEmpty()) {
      residency.forgotten(agent, now);
    }
    residency.tryWaiting(now);
  }

  private void end(AgentLeases agent, Granted lease) {
    grants.look(departures.ended(agent, lease));
  }

  private void firstToken(LeaseEvent.FirstToken first, double now) {
    Optional.ofNullable(agents.get(first.agent()))
        .flatMap(agent -> agent.current)
        .filter(lease -> lease.lease.epoch() == first.epoch() && lease.turn == first.turn())
        .ifPresent(lease -> residency.firstToken(lease, now));
  }

  private void replicaGone(String replica, double now) {
    replicas.remove(replica);
    scheduler.replicaGone(replica);
    for (AgentLeases agent : agents.values()) {
      agent
          .current
          .filter(lease -> lease.lease.replica().equals(replica))
          .ifPresent(lease -> {
            residency.ends(lease, now);
            departures.recalled(agent, lease);
          });
      agent
          .waiting
          .filter(waiting -> waiting.replica.filter(replica::equals).isPresent())
          .ifPresent(waiting -> residency.asksElsewhere(agent, waiting, now));
    }
    residency.tryWaiting(now);
  }

  private void ticked(double now) {
    for (AgentLeases agent : List.copyOf(agents.values())) {
      for (Granted lease : List.copyOf(agent.leaving)) {
        if (lease.until <= now) {
          expired(lease);
          end(agent, lease);
        }
      }
      agent
          .current
          .filter(lease -> lease.until <= now)
          .ifPresent(lease -> {
            expired(lease);
            residency.leaves(agent, lease, now);
            residency.tryWaiting(now);
          });
      if (agent.forgettable() && agent.heard + times.forgetSeconds() <= now) {
        agents.remove(agent.agent);
        residency.forgotten(agent, now);
      }
    }
    if (rebuilding && graceUntil <= now) {
      rebuilt(now);
    }
    if (residency.wakeAt() <= now) {
      residency.tryWaiting(now);
    }
  }

  private void expired(Granted lease) {
    expired++;
    out.add(new LeaseOrder.Expired(lease.lease, lease.holder));
  }

  private void rebuilt(double now) {
    rebuilding = false;
    Set<String> gone = new TreeSet<>();
    for (AgentLeases agent : agents.values()) {
      agent
          .current
          .map(lease -> lease.lease.replica())
          .filter(replica -> !replicas.contains(replica))
          .ifPresent(gone::add);
    }
    gone.forEach(replica -> replicaGone(replica, now));
    agents.values().stream()
        .filter(agent -> agent.waiting.filter(one -> one.request == NONE).isPresent())
        .sorted(Comparator.comparingDouble(agent -> agent.waiting.orElseThrow().since))
        .toList()
        .forEach(agent -> residency.asks(agent, agent.waiting.orElseThrow(), now));
  }
}
