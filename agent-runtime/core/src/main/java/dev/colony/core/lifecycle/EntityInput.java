package dev.colony.core.lifecycle;

/** What an agent's actor is told, as far as it matters for what becomes of it. */
public sealed interface EntityInput {

  /** What comes from outside the actor, perhaps from another node. */
  sealed interface Remote extends EntityInput {}

  /**
   * A command to journal and to answer.
   *
   * @param claims whether it may be journaled in one append with the claim
   */
  record Command(boolean claims) implements Remote {}

  /** A command that is answered at once, whatever the agent's state is. */
  record Declined() implements Remote {}

  /**
   * What has to do with the writes that the agent handles.
   *
   * @param watching whether the blackboard wakes the agent for just these
   */
  record Events(boolean watching) implements Remote {}

  record Wake() implements Remote {}

  /**
   * The journal was read.
   *
   * @param lost whether the agent's last node died with events that the store has lost since
   */
  record Recovered(boolean lost) implements EntityInput {}

  /**
   * The journal cannot be read.
   *
   * @param retried whether it is tried again, since the cause may pass
   */
  record Unreadable(boolean retried) implements EntityInput {}

  record Restarted() implements EntityInput {}

  /** What the agent is, is known: it can be claimed. */
  record TakeOver() implements EntityInput {}

  record Claimed(long incarnation) implements EntityInput {}

  /** The agent can never be there. */
  record Impossible() implements EntityInput {}

  /** A later incarnation exists. */
  record Fenced() implements EntityInput {}

  /** The actor cannot go on from this and is to fail. */
  record Fatal() implements EntityInput {}

  /**
   * What came of an effect.
   *
   * @param awaited whether it is the effect that is under way
   */
  record Outcome(boolean awaited) implements EntityInput {}

  /**
   * The wait of the effect under way for a capacity permit is over.
   *
   * @param awaited whether it is the effect that is under way
   * @param granted whether there is a permit
   */
  record Admitted(boolean awaited, boolean granted) implements EntityInput {}

  /** An effect has ended and what came of it is journaled. */
  record Finished() implements EntityInput {}

  /** Something else than the effect under way has changed the agent's state. */
  record Changed() implements EntityInput {}

  /** Pages that the agent is bound to have been evicted. */
  record PagesGone() implements EntityInput {}

  /** It is known whether the policy takes events. */
  record Learned() implements EntityInput {}

  record Overdue() implements EntityInput {}

  record Idle() implements EntityInput {}

  /** The shard stops the actor. */
  record Leave() implements EntityInput {}

  /** The same, and what is under way is not waited for. */
  record LeaveNow() implements EntityInput {}
}
