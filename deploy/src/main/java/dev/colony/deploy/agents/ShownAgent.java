package dev.colony.deploy.agents;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.directory.ListedAgent;
import dev.colony.agent.inspect.InspectedAgent;
import java.util.Optional;

/**
 * An agent as directory and journal tell of it.
 *
 * @param journal empty for one that has not been started yet
 */
public record ShownAgent(ListedAgent listed, Optional<InspectedAgent> journal) {

  public AgentId id() {
    return listed.id();
  }

  /** By the journal, which has the say. */
  public AgentState state() {
    return journal.map(known -> known.snapshot().state()).orElse(listed.status().state());
  }

  /** Why it is in that state; empty where there is nothing to say. */
  public Optional<String> reason() {
    return journal.isPresent() ? journal.get().snapshot().reason() : listed.status().reason();
  }

  /** Runs that are accepted and have no result yet, the one under way included. */
  public int openRuns() {
    return journal.map(known -> known.snapshot().queue().size()).orElse(0);
  }
}
