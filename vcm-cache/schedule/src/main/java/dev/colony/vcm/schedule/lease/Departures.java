package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Orders;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.lease.AgentLeases.Granted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The leases that are to be given back: from when they are recalled until they have ended for
 * certain. Until then no lease is granted that has to wait for them, and no block is evicted that a
 * turn under one of them may still use.
 */
final class Departures {

  private final Map<String, AgentLeases> agents;
  private final WorkingSetScheduler scheduler;
  private final List<LeaseOrder> out;

  /**
   * @param agents all that are known, in an order that does not depend on when they came
   * @param out takes what is to be said
   */
  Departures(Map<String, AgentLeases> agents, WorkingSetScheduler scheduler, List<LeaseOrder> out) {
    this.agents = agents;
    this.scheduler = scheduler;
    this.out = out;
  }

  /** An agent's lease is to be given back; one that no holder has heard of has ended at once. */
  void recalled(AgentLeases agent, Granted lease) {
    agent.current = Optional.empty();
    if (lease.told) {
      leaves(agent, lease);
    }
  }

  /** A lease is to be given back that is not the one under which its agent is resident. */
  void leaves(AgentLeases agent, Granted lease) {
    agent.leaving.add(lease);
    again(lease);
  }

  /** Its holder is told once more. */
  void again(Granted lease) {
    out.add(new LeaseOrder.Recalled(lease.holder, lease.lease, lease.ask));
  }

  /**
   * A lease that was recalled has ended: what it kept may go.
   *
   * @return the agents that nothing stands before any more for its sake
   */
  List<AgentLeases> ended(AgentLeases agent, Granted lease) {
    agent.leaving.remove(lease);
    String replica = lease.lease.replica();
    evicted(new Orders.Eviction(replica, scheduler.unclaimed(replica, lease.deferred)));
    List<AgentLeases> freed = new ArrayList<>();
    for (AgentLeases other : agents.values()) {
      other
          .waiting
          .filter(one -> one.behind.remove(lease.lease.epoch()))
          .ifPresent(one -> freed.add(other));
    }
    return freed;
  }

  /**
   * The leases that have to end before an agent may have one at a replica: others' there, and its
   * own elsewhere.
   */
  Collection<Long> before(AgentLeases agent, String replica) {
    Set<Long> before = new TreeSet<>();
    for (AgentLeases other : agents.values()) {
      for (Granted lease : other.leaving) {
        if (lease.lease.replica().equals(replica) != (other == agent)) {
          before.add(lease.lease.epoch());
        }
      }
    }
    return before;
  }

  /** Has those blocks evicted that no leaving lease may still use; the others when it has ended. */
  void evicted(Orders.Eviction eviction) {
    long[] blocks = kept(eviction.replica(), eviction.blocks());
    if (blocks.length > 0) {
      out.add(new LeaseOrder.Evicted(new Orders.Eviction(eviction.replica(), blocks)));
    }
  }

  private long[] kept(String replica, long[] blocks) {
    long[] free = blocks;
    for (AgentLeases agent : agents.values()) {
      for (Granted lease : agent.leaving) {
        if (free.length > 0 && lease.lease.replica().equals(replica)) {
          free = kept(lease, free);
        }
      }
    }
    return free;
  }

  private static long[] kept(Granted lease, long[] blocks) {
    Set<Long> used = new HashSet<>();
    for (long block : lease.blocks) {
      used.add(block);
    }
    Set<Long> deferred = new TreeSet<>();
    for (long block : lease.deferred) {
      deferred.add(block);
    }
    List<Long> rest = new ArrayList<>();
    for (long block : blocks) {
      (used.contains(block) ? deferred : rest).add(block);
    }
    lease.deferred = deferred.stream().mapToLong(Long::longValue).toArray();
    return rest.stream().mapToLong(Long::longValue).toArray();
  }
}
