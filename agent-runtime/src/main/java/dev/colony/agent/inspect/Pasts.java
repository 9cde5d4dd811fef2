package dev.colony.agent.inspect;

import dev.colony.agent.AgentId;
import java.util.concurrent.CompletionStage;

/** The pasts of agents, from their journals. */
@FunctionalInterface
public interface Pasts {

  /** How an agent was after one of its events. Fails as the journal does. */
  CompletionStage<Past> at(AgentId agent, long sequenceNr);
}
