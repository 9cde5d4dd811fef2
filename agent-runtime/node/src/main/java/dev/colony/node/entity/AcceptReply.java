package dev.colony.node.entity;

import com.fasterxml.jackson.annotation.JsonTypeName;

/** The answer to {@link AgentMessage.Accept} and {@link AgentMessage.Start}. */
public sealed interface AcceptReply {

  /** What was asked for is journaled, now or before. */
  @JsonTypeName("command-accepted")
  record Accepted() implements AcceptReply {}

  /** The run will not be executed; the reason is one line for people. */
  @JsonTypeName("command-rejected")
  record Rejected(String reason) implements AcceptReply {}

  /**
   * The agent has as many runs as it may have, and nothing is journaled: to be asked for again, in
   * the same order. The reason is one line for people.
   */
  @JsonTypeName("agent-busy")
  record Busy(String reason) implements AcceptReply {}
}
