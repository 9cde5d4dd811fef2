package dev.colony.agent.policy;

import dev.colony.agent.Agent;
import dev.colony.agent.action.ActionDispatcher;
import dev.colony.agent.stream.ConsciousnessStream;
import java.util.List;

/**
 * What the owning node gives to an agent's policy.
 *
 * @param streams in the order of the blueprint; they hold no entries themselves
 */
public record PolicyContext(
    Agent agent, ActionDispatcher dispatcher, List<ConsciousnessStream> streams) {

  public PolicyContext {
    streams = List.copyOf(streams);
  }
}
