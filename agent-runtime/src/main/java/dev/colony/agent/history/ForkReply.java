package dev.colony.agent.history;

import dev.colony.agent.AgentId;
import dev.colony.agent.inspect.Past;

/** What became of asking for a fork. */
public sealed interface ForkReply {

  /** There is the fork; it was there before if it was asked for twice. */
  record Forked(AgentId fork, AgentId origin, long sequenceNr) implements ForkReply {}

  /** What is to be inherited is not known: no such agent, not so far yet, or forgotten. */
  record NoSuchPast(Past past) implements ForkReply {}

  /** A fork lives in the colony of its origin. */
  record OtherColony(AgentId fork, AgentId origin) implements ForkReply {}

  /** There is an agent of that name, which is something else. */
  record Taken(AgentId fork) implements ForkReply {}

  /** For people; one line. */
  default String words() {
    return switch (this) {
      case Forked forked ->
          "%s is a fork of %s at %d".formatted(forked.fork(), forked.origin(), forked.sequenceNr());
      case NoSuchPast none -> none.past().words();
      case OtherColony other ->
          "a fork of " + other.origin() + " lives in its colony, not in that of " + other.fork();
      case Taken taken -> "there is an agent " + taken.fork() + " already";
    };
  }
}
