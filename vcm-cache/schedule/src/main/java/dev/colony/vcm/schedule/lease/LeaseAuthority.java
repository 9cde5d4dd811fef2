package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.lease.AgentLeases.Granted;
import dev.colony.vcm.schedule.lease.AgentLeases.Waiting;
import dev.colony.vcm.schedule.lease.LeaseOrder.Reason;
import dev.colony.vcm.schedule.workingset.Orders;
import dev.colony.vcm.schedule.workingset.WorkingSetScheduler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntBiFunction;
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
 *       is reported later is not valid any more.
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

  private final Map<Long, AgentLeases> byRequest = new LinkedHashMap<>();
  private final Set<String> replicas = new TreeSet<>();
  private final Set<AgentLeases> ready = new HashSet<>();
  private final List<LeaseOrder> out = new ArrayList<>();

  private boolean rebuilding = true;
  private long nextEpoch;
  private long nextRequest = 1;
  private double wakeAt = Double.POSITIVE_INFINITY;
  private long granted;
  private long pagedOut;
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
    this.nextEpoch = firstEpoch;
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
        if (up.blocks() > 0) {
          cluster.cacheHolds(up.replica(), up.blocks());
        }
        tryWaiting(now);
      }
      case LeaseEvent.ReplicaGone gone -> replicaGone(gone.replica(), now);
      case LeaseEvent.HolderGone gone ->
          agents.values().stream()
              .flatMap(agent -> agent.waiting.stream())
              .filter(waiting -> waiting.holder.equals(gone.holder()))
              .forEach(waiting -> waiting.parked = true);
      case LeaseEvent.Ticked tick -> ticked(now);
    }
    grant(now);
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
        leases, held, oldest, granted, pagedOut, scheduler.forcedLoads(), expired, rebuilding);
  }

  /** Whether an agent waits for a lease. */
  public boolean held(String agent) {
    AgentLeases known = agents.get(agent);
    return known != null && known.waiting.isPresent();
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

  /** For tests: all that decides about what follows, with numbers as {@code rank} has them. */
  String describe(double now, ToIntBiFunction<String, Long> rank) {
    StringBuilder text = new StringBuilder();
    text.append(rebuilding ? graceUntil - now : 0).append(replicas);
    text.append(wakeAt == Double.POSITIVE_INFINITY ? "" : Math.max(0, wakeAt - now));
    for (AgentLeases agent : agents.values()) {
      text.append(agent.agent).append(rank.applyAsInt("number", agent.number)).append('[');
      List<Granted> leases = new ArrayList<>(agent.leaving);
      agent.current.ifPresent(leases::add);
      for (Granted lease : leases) {
        text.append(lease.holder)
            .append(lease.lease.replica())
            .append(rank.applyAsInt("epoch", lease.lease.epoch()))
            .append(rank.applyAsInt("ask", lease.ask))
            .append(rank.applyAsInt("number", lease.number))
            .append(lease.until - now)
            .append(lease.told)
            .append(lease.request != NONE)
            .append(lease.turn)
            .append(Arrays.toString(lease.deferred));
      }
      agent.waiting.ifPresent(waiting ->
          text.append(waiting.holder)
              .append(rank.applyAsInt("ask", waiting.ask))
              .append(now - waiting.since)
              .append(Math.min(times.termSeconds(), now - waiting.heard))
              .append(waiting.heard - waiting.sentAt)
              .append(waiting.parked)
              .append(waiting.request != NONE)
              .append(waiting.replica)
              .append(waiting.behind.stream().map(one -> rank.applyAsInt("epoch", one)).toList()));
      text.append(agent.forgettable() ? now - agent.heard : 0).append(']');
    }
    return text.toString();
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
        out.add(new LeaseOrder.Recalled(holder, lease.lease, lease.ask));
        return;
      } else if (lease.of(holder)) {
        end(agent, lease, now);
      }
    }
    Optional<Granted> current = agent.current;
    if (current.isPresent() && current.get().of(holder) && current.get().ask == asking.ask()) {
      current.get().until = now + lasts(asking.parked());
      current.get().told |= !asking.parked();
      out.add(
          asking.parked()
              ? new LeaseOrder.Woken(current.get().lease)
              : new LeaseOrder.Granted(holder, current.get().lease, asking.ask(), report.sentAt()));
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
      submit(agent, waiting, now);
    }
    ready.add(agent);
    grant(now);
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

  /** Hands a wait to the scheduler; an agent that is resident by an earlier lease stays there. */
  private void submit(AgentLeases agent, Waiting waiting, double now) {
    waiting.request = nextRequest++;
    byRequest.put(waiting.request, agent);
    agent.current.ifPresent(before -> superseded(agent, before, waiting, now));
    carryOut(
        scheduler.home(agent.agent).isPresent()
            ? scheduler.began(waiting.request, agent.agent, waiting.prompt, now)
            : scheduler.arrived(
                waiting.request, agent.agent, waiting.prompt, false, waiting.since, now),
        now);
  }

  private void superseded(AgentLeases agent, Granted before, Waiting waiting, double now) {
    endTurn(before, OptionalDouble.empty(), OptionalInt.empty(), now);
    if (before.of(waiting.holder)) {
      agent.current = Optional.empty();
    } else {
      recalled(agent, before);
    }
  }

  /** An agent's lease is to be given back; one that no holder has heard of has ended at once. */
  private void recalled(AgentLeases agent, Granted lease) {
    agent.current = Optional.empty();
    if (lease.told) {
      agent.leaving.add(lease);
      out.add(new LeaseOrder.Recalled(lease.holder, lease.lease, lease.ask));
    }
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
      agent
          .waiting
          .filter(waiting -> waiting.holder.equals(report.holder()))
          .ifPresent(waiting -> withdrawn(agent, waiting, now));
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
      out.add(new LeaseOrder.Recalled(report.holder(), lease, leaving.get().ask));
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
    Granted current = agent.current.orElse(null);
    if (current == null || current.lease.epoch() != lease.epoch()) {
      return;
    }
    current.until = now + times.termSeconds();
    if (!turned(agent, current, turn, prompt, idle == null, now)) {
      out.add(new LeaseOrder.Tell(report.holder(), report.agent()));
    }
    renewed(report, lease, current.turn);
    if (idle != null && current.request != NONE && current.turn == turn) {
      endTurn(current, idle.returnsIn(), idle.remainingTurns(), now);
      tryWaiting(now);
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
    endTurn(lease, OptionalDouble.empty(), OptionalInt.empty(), now);
    lease.turn = turn;
    lease.blocks = prompt.get().blocks();
    if (!rebuilding) {
      // An agent that never rests is idle at this moment only.
      carryOut(scheduler.triedOverdue(now), now);
      if (agent.current.filter(lease::equals).isEmpty()) {
        return true;
      }
    }
    lease.request = nextRequest++;
    byRequest.put(lease.request, agent);
    carryOut(scheduler.began(lease.request, agent.agent, prompt.get(), now), now);
    return true;
  }

  private void endTurn(
      Granted lease, OptionalDouble returnsIn, OptionalInt remainingTurns, double now) {
    if (lease.request != NONE) {
      long request = lease.request;
      lease.request = NONE;
      byRequest.remove(request);
      carryOut(scheduler.ended(request, returnsIn, remainingTurns, true, now), now);
    }
  }

  /** A lease that an earlier authority has granted. */
  private void restored(
      AgentLeases agent, String holder, Lease lease, long turn, Ask prompt, double now) {
    nextEpoch = Math.max(nextEpoch, lease.epoch() + 1);
    Granted restored =
        new Granted(
            lease, holder, NONE, agent.number - 1, now + times.termSeconds(), prompt.blocks());
    restored.turn = turn;
    restored.told = true;
    Optional<Granted> other = agent.current;
    if (other.filter(one -> one.lease.epoch() > lease.epoch()).isPresent()) {
      agent.leaving.add(restored);
      out.add(new LeaseOrder.Recalled(holder, lease, NONE));
      return;
    }
    other.ifPresent(one -> {
      endTurn(one, OptionalDouble.empty(), OptionalInt.empty(), now);
      agent.leaving.add(one);
      out.add(new LeaseOrder.Recalled(one.holder, one.lease, one.ask));
    });
    scheduler.placed(agent.agent, lease.replica(), prompt.blocks(), now);
    agent.current = Optional.of(restored);
  }

  private void released(
      AgentLeases agent, Report report, boolean ended, boolean stale, double now) {
    // Not those that were granted since.
    agent.leaving.stream()
        .filter(lease -> lease.of(report.holder()) && lease.number < report.number())
        .toList()
        .forEach(lease -> end(agent, lease, now));
    if (stale) {
      return;
    }
    agent
        .waiting
        .filter(waiting -> waiting.holder.equals(report.holder()))
        .ifPresent(waiting -> withdrawn(agent, waiting, now));
    agent
        .current
        .filter(lease -> lease.of(report.holder()))
        .ifPresent(lease -> leave(agent, lease, now));
    if (ended && agent.current.isEmpty() && agent.waiting.isEmpty()) {
      carryOut(scheduler.left(agent.agent, true, now), now);
    }
    tryWaiting(now);
  }

  private void withdrawn(AgentLeases agent, Waiting waiting, double now) {
    agent.waiting = Optional.empty();
    ready.remove(agent);
    byRequest.remove(waiting.request);
    carryOut(
        scheduler.ended(waiting.request, OptionalDouble.empty(), OptionalInt.empty(), false, now),
        now);
    if (waiting.replica.isPresent()) {
      carryOut(scheduler.left(agent.agent, false, now), now);
    }
  }

  /** An agent's lease ends at once. */
  private void leave(AgentLeases agent, Granted lease, double now) {
    agent.current = Optional.empty();
    endTurn(lease, OptionalDouble.empty(), OptionalInt.empty(), now);
    carryOut(scheduler.left(agent.agent, false, now), now);
  }

  /** A lease that was recalled has ended: what it kept may go. */
  private void end(AgentLeases agent, Granted lease, double now) {
    agent.leaving.remove(lease);
    long[] blocks =
        kept(lease.lease.replica(), scheduler.unclaimed(lease.lease.replica(), lease.deferred));
    if (blocks.length > 0) {
      out.add(new LeaseOrder.Evicted(new Orders.Eviction(lease.lease.replica(), blocks)));
    }
    for (AgentLeases other : agents.values()) {
      other
          .waiting
          .filter(one -> one.behind.remove(lease.lease.epoch()))
          .ifPresent(one -> ready.add(other));
    }
  }

  private void firstToken(LeaseEvent.FirstToken first, double now) {
    Optional.ofNullable(agents.get(first.agent()))
        .flatMap(agent -> agent.current)
        .filter(lease -> lease.lease.epoch() == first.epoch() && lease.turn == first.turn())
        .filter(lease -> lease.request != NONE)
        .ifPresent(lease -> scheduler.firstToken(lease.request, now));
  }

  private void replicaGone(String replica, double now) {
    replicas.remove(replica);
    scheduler.replicaGone(replica);
    for (AgentLeases agent : agents.values()) {
      agent
          .current
          .filter(lease -> lease.lease.replica().equals(replica))
          .ifPresent(lease -> {
            endTurn(lease, OptionalDouble.empty(), OptionalInt.empty(), now);
            recalled(agent, lease);
          });
      agent
          .waiting
          .filter(waiting -> waiting.replica.filter(replica::equals).isPresent())
          .ifPresent(waiting -> {
            byRequest.remove(waiting.request);
            carryOut(
                scheduler.ended(
                    waiting.request, OptionalDouble.empty(), OptionalInt.empty(), false, now),
                now);
            waiting.replica = Optional.empty();
            waiting.behind.clear();
            submit(agent, waiting, now);
          });
    }
    tryWaiting(now);
  }

  private void ticked(double now) {
    for (AgentLeases agent : List.copyOf(agents.values())) {
      for (Granted lease : List.copyOf(agent.leaving)) {
        if (lease.until <= now) {
          expired(lease);
          end(agent, lease, now);
        }
      }
      agent
          .current
          .filter(lease -> lease.until <= now)
          .ifPresent(lease -> {
            expired(lease);
            leave(agent, lease, now);
            tryWaiting(now);
          });
      if (agent.forgettable() && agent.heard + times.forgetSeconds() <= now) {
        agents.remove(agent.agent);
        carryOut(scheduler.left(agent.agent, true, now), now);
      }
    }
    if (rebuilding && graceUntil <= now) {
      rebuilt(now);
    }
    if (wakeAt <= now) {
      tryWaiting(now);
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
        .forEach(agent -> submit(agent, agent.waiting.orElseThrow(), now));
  }

  private void tryWaiting(double now) {
    if (!rebuilding) {
      carryOut(scheduler.tried(now), now);
    }
  }

  private void carryOut(Orders orders, double now) {
    for (Orders.PagedOut one : orders.pagedOut()) {
      AgentLeases agent = agents.get(one.unit());
      agent.current.ifPresent(lease -> {
        pagedOut++;
        recalled(agent, lease);
      });
    }
    for (Orders.Eviction eviction : orders.evictions()) {
      long[] blocks = kept(eviction.replica(), eviction.blocks());
      if (blocks.length > 0) {
        out.add(new LeaseOrder.Evicted(new Orders.Eviction(eviction.replica(), blocks)));
      }
    }
    orders.touches().forEach(touch -> out.add(new LeaseOrder.Touched(touch)));
    for (Orders.Started started : orders.started()) {
      AgentLeases agent = byRequest.get(started.request());
      agent
          .waiting
          .filter(waiting -> waiting.request == started.request())
          .ifPresent(waiting -> decided(agent, waiting, started.run().replica()));
    }
    if (orders.wakeAt().isPresent()) {
      wakeAt = orders.wakeAt().getAsDouble();
    } else if (wakeAt <= now) {
      wakeAt = Double.POSITIVE_INFINITY;
    }
  }

  /** What may be evicted now; the rest is kept for when those leave that still may use it. */
  private long[] kept(String replica, long[] blocks) {
    long[] free = blocks;
    for (AgentLeases agent : agents.values()) {
      for (Granted lease : agent.leaving) {
        if (free.length > 0 && lease.lease.replica().equals(replica)) {
          Set<Long> used = new HashSet<>();
          for (long block : lease.blocks) {
            used.add(block);
          }
          Set<Long> deferred = new TreeSet<>();
          for (long block : lease.deferred) {
            deferred.add(block);
          }
          List<Long> rest = new ArrayList<>();
          for (long block : free) {
            (used.contains(block) ? deferred : rest).add(block);
          }
          lease.deferred = deferred.stream().mapToLong(Long::longValue).toArray();
          free = rest.stream().mapToLong(Long::longValue).toArray();
        }
      }
    }
    return free;
  }

  private void decided(AgentLeases agent, Waiting waiting, String replica) {
    waiting.replica = Optional.of(replica);
    for (AgentLeases other : agents.values()) {
      for (Granted lease : other.leaving) {
        if (lease.lease.replica().equals(replica) != (other == agent)) {
          waiting.behind.add(lease.lease.epoch());
        }
      }
    }
    ready.add(agent);
  }

  /** Grants what nothing stands before any more. */
  private void grant(double now) {
    List<AgentLeases> able = new ArrayList<>(ready);
    able.sort(Comparator.comparing(agent -> agent.agent));
    ready.clear();
    for (AgentLeases agent : able) {
      agent
          .waiting
          .filter(waiting -> waiting.replica.isPresent() && waiting.behind.isEmpty())
          .ifPresent(waiting -> grant(agent, waiting, now));
    }
  }

  /** For how long a lease is kept that is granted now. */
  private double lasts(boolean parked) {
    return parked ? times.pickupSeconds() : times.termSeconds();
  }

  private void grant(AgentLeases agent, Waiting waiting, double now) {
    Lease lease = new Lease(agent.agent, waiting.replica.orElseThrow(), nextEpoch++);
    boolean away = waiting.parked || waiting.heard + times.termSeconds() <= now;
    Granted to =
        new Granted(
            lease,
            waiting.holder,
            waiting.ask,
            agent.number,
            now + lasts(away),
            waiting.prompt.blocks());
    to.request = waiting.request;
    to.told = !away;
    agent.current = Optional.of(to);
    agent.waiting = Optional.empty();
    granted++;
    out.add(
        away
            ? new LeaseOrder.Woken(lease)
            : new LeaseOrder.Granted(waiting.holder, lease, waiting.ask, waiting.sentAt));
  }
}
