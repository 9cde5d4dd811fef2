package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Orders;

/** What an authority says. */
public sealed interface LeaseOrder {

  /** Why an agent waits. */
  enum Reason {
    /** The authority has just begun, and does not know yet which leases there are. */
    REBUILDING,
    /** Its working set fits nowhere. */
    NO_ROOM,
    /** It has a place, which another agent is about to leave, or has to leave one itself. */
    LEAVING,
    /** There is no replica. */
    NO_REPLICA
  }

  /** What is said to a holder. */
  sealed interface ToHolder extends LeaseOrder {

    String holder();

    String agent();
  }

  /** What is said to a holder of one lease. */
  sealed interface OfLease extends ToHolder {

    Lease lease();

    @Override
    default String agent() {
      return lease().agent();
    }
  }

  /**
   * An agent has a lease.
   *
   * @param ask that it answers
   * @param sentAt of the report that it answers
   */
  record Granted(String holder, Lease lease, long ask, double sentAt) implements OfLease {}

  /** An agent has to wait. */
  record Held(String holder, String agent, long ask, Reason reason) implements ToHolder {}

  /**
   * A lease lasts a term from {@code sentAt}.
   *
   * @param turn whose prompt the authority knows
   */
  record Renewed(String holder, Lease lease, long turn, double sentAt) implements OfLease {}

  /**
   * The agent is to give its lease back, at once where it does not work, else when its turn ends.
   *
   * @param ask that it was granted for
   */
  record Recalled(String holder, Lease lease, long ask) implements OfLease {}

  /** The lease has ended already. */
  record Ended(String holder, Lease lease) implements OfLease {}

  /** The authority lacks the agent's prompt: the next report is to have it. */
  record Tell(String holder, String agent) implements ToHolder {}

  /** An agent that waits in no memory has a lease kept for it: it is to go on. */
  record Woken(Lease lease) implements LeaseOrder {}

  /** A lease has ended without its holder's word. */
  record Expired(Lease lease, String holder) implements LeaseOrder {}

  /** A hint to a replica's cache. */
  record Evicted(Orders.Eviction eviction) implements LeaseOrder {}

  /** What is to stay in a replica's cache that takes no hints. */
  record Touched(Orders.Touch touch) implements LeaseOrder {}
}
