package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.PrefillSpeed;

/** What an authority is told. */
public sealed interface LeaseEvent {

  /** A holder has said how an agent stands. */
  record Reported(Report report) implements LeaseEvent {}

  /** The first token of a turn's reply has come. */
  record FirstToken(String agent, long epoch, long turn) implements LeaseEvent {}

  /**
   * A replica is there.
   *
   * @param blocks that its cache holds; 0 where it does not say
   * @param speed at which it computes prompts, by those who call it
   */
  record ReplicaUp(String replica, int blocks, PrefillSpeed speed) implements LeaseEvent {}

  /** A replica is gone, and what its cache held. */
  record ReplicaGone(String replica) implements LeaseEvent {}

  /** A node is gone: the agents that asked there are woken elsewhere when they are granted. */
  record HolderGone(String holder) implements LeaseEvent {}

  /**
   * No authority before this one can have granted a lease that is still valid, so that there is
   * nothing to wait for: the cluster is new. The caller has to be sure of it.
   */
  record NoneBefore() implements LeaseEvent {}

  /** Time has passed. */
  record Ticked() implements LeaseEvent {}
}
