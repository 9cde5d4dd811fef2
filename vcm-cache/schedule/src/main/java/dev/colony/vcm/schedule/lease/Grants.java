package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.lease.AgentLeases.Granted;
import dev.colony.vcm.schedule.lease.AgentLeases.Waiting;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The leases that are granted: to agents whose place is decided, when nothing stands before. */
final class Grants {

  private final LeaseTimes times;
  private final List<LeaseOrder> out;

  /** Agents of which it is to be looked whether they may have theirs now. */
  private final Set<AgentLeases> ready = new HashSet<>();

  private long nextEpoch;
  private long granted;

  /**
   * @param out takes what is to be said
   * @param firstEpoch above those of all leases that authorities before have granted
   */
  Grants(LeaseTimes times, List<LeaseOrder> out, long firstEpoch) {
    this.times = times;
    this.out = out;
    this.nextEpoch = firstEpoch;
  }

  /** A lease has been granted by another authority: those to come have higher epochs. */
  void above(long epoch) {
    nextEpoch = Math.max(nextEpoch, epoch + 1);
  }

  /** How many leases there were. */
  long granted() {
    return granted;
  }

  /** Something has changed for an agent that waits. */
  void look(AgentLeases agent) {
    ready.add(agent);
  }

  void look(Collection<AgentLeases> several) {
    ready.addAll(several);
  }

  /** An agent waits no longer. */
  void forget(AgentLeases agent) {
    ready.remove(agent);
  }

  /** Grants what nothing stands before any more. */
  void grant(double now) {
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

  /** An agent asks again for the lease that it was granted: the answer may have been lost. */
  void again(Granted lease, Report report, Report.Asking asking, double now) {
    lease.until = now + lasts(asking.parked());
    lease.told |= !asking.parked();
    out.add(
        asking.parked()
            ? new LeaseOrder.Woken(lease.lease)
            : new LeaseOrder.Granted(report.holder(), lease.lease, asking.ask(), report.sentAt()));
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
