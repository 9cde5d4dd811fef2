package dev.colony.server.lease;

import java.time.Duration;

/** What a node has learned of the lease. */
public sealed interface LeaseOutcome {

  /** Its side goes on. */
  record Won() implements LeaseOutcome {}

  /**
   * Another side goes on.
   *
   * @param holder which of its nodes has the lease, {@code system@host:port#uid}
   */
  record Denied(String holder) implements LeaseOutcome {}

  /** Redis has not said whose the lease is, for as long as this node was to wait for it. */
  record Unanswered(Duration waited) implements LeaseOutcome {}

  /**
   * The lease was this node's, and another side has got it since: the node was frozen, or did not
   * reach Redis, for longer than the lease is held without being renewed. Its side must end.
   *
   * @param holder who has it, empty where its time is over too
   */
  record Lost(String holder) implements LeaseOutcome {}
}
