package dev.colony.blackboard;

import com.fasterxml.jackson.databind.JsonNode;

/** Something for an agent in an inbox bucket. */
public sealed interface InboxMessage {

  /** Names it within its bucket. */
  String id();

  /** The agent's persistent name. */
  String recipient();

  /** Where the entry was written. */
  Scope scope();

  /** The entry's key. */
  String key();

  /** Of the write that it tells of, in the order of its scope. */
  Position position();

  /**
   * A request made with {@link Blackboard#send}.
   *
   * @param position the same at each delivery, and later than that of whatever was sent in the
   *     scope before
   * @param offered whether it was made with {@link Blackboard#offer} instead, and so counts as
   *     waiting until it is taken out
   */
  record Request(
      String id,
      String recipient,
      Scope scope,
      String key,
      Position position,
      JsonNode value,
      boolean offered)
      implements InboxMessage {}

  /**
   * A write matched a pattern that the agent is to be woken for, see {@link Blackboard#wakeOn}. An
   * agent has at most one of these at a time for each scope, however many writes match.
   *
   * @param position of the write that woke it; acknowledged with a later one ({@link #seenUpTo}),
   *     the writes up to there do not wake it again
   */
  record Wake(String id, String recipient, Scope scope, String key, Position position)
      implements InboxMessage {

    /** The same, saying that the agent has seen the scope's events up to a position. */
    public Wake seenUpTo(Position seen) {
      return new Wake(id, recipient, scope, key, seen);
    }
  }
}
