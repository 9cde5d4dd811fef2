package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.step.Mind;
import java.util.Objects;

/**
 * What an agent is born with that was forked from another: the other's memory, and how far its open
 * run had come, which is where the first run of the fork begins. Nobody may change {@code custom}.
 *
 * @param sequenceNr of the event up to which the origin's past is inherited
 * @param steps that the open run had completed; 0 where there was none
 * @param history the actions of those steps
 * @param custom the policy's own entries of that run
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Inheritance(
    AgentId origin, long sequenceNr, Mind mind, int steps, Calls history, ObjectNode custom) {

  public Inheritance {
    Objects.requireNonNull(origin, "origin");
    mind = mind == null ? Mind.EMPTY : mind;
    history = history == null ? Calls.none() : history;
    custom = custom == null ? JsonNodeFactory.instance.objectNode() : custom;
  }

  /** The same without the memory, which the agent has by then. */
  Inheritance remembered() {
    return new Inheritance(origin, sequenceNr, Mind.EMPTY, steps, history, custom);
  }
}
