package dev.colony.node.entity;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.blackboard.Position;

/** The answer to {@link AgentMessage.Notice}. */
public sealed interface WakeReply {

  /** The agent has journaled that it will handle the writes up to here, or has handled them. */
  @JsonTypeName("event-noticed")
  record Noticed(Position upTo) implements WakeReply {}

  /** The agent does not handle the scope (any more). */
  @JsonTypeName("event-ignored")
  record Ignored() implements WakeReply {}
}
