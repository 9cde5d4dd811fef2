package dev.colony.agent.view;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.AgentId;

/** What became of asking for a fork. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(ForkReply.Forked.class),
  @JsonSubTypes.Type(ForkReply.NoSuchPast.class),
  @JsonSubTypes.Type(ForkReply.OtherColony.class),
  @JsonSubTypes.Type(ForkReply.Taken.class)
})
public sealed interface ForkReply {

  /** There is the fork; it was there before if it was asked for twice. */
  @JsonTypeName("forked")
  record Forked(AgentId agentId, AgentId origin, long sequenceNr) implements ForkReply {}

  /** What is to be inherited is not known: no such agent, not so far yet, or forgotten. */
  @JsonTypeName("no-such-past")
  record NoSuchPast(StateAt.Missing past) implements ForkReply {}

  /** A fork lives in the colony of its origin. */
  @JsonTypeName("other-colony")
  record OtherColony(AgentId agentId, AgentId origin) implements ForkReply {}

  /** There is an agent of that name, which is something else. */
  @JsonTypeName("taken")
  record Taken(AgentId agentId) implements ForkReply {}

  /** For people; one line. */
  default String words() {
    return switch (this) {
      case Forked forked ->
          "%s is a fork of %s at %d"
              .formatted(forked.agentId(), forked.origin(), forked.sequenceNr());
      case NoSuchPast none -> none.past().words();
      case OtherColony other ->
          "a fork of " + other.origin() + " lives in its colony, not in that of " + other.agentId();
      case Taken taken -> "there is an agent " + taken.agentId() + " already";
    };
  }
}
