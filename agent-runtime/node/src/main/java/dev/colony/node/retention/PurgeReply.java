package dev.colony.node.retention;

import dev.colony.agent.AgentId;

/** What became of a purge of one agent. */
public sealed interface PurgeReply {

  AgentId agent();

  /** Nothing of it is left but the events of its scopes, which go with their age. */
  record Purged(AgentId agent) implements PurgeReply {}

  /**
   * Nothing of it was touched.
   *
   * @param reason one line
   */
  record Kept(AgentId agent, String reason) implements PurgeReply {}
}
