package dev.colony.client.directory;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.AgentStatus;
import java.util.Optional;

/** An agent in a list: what it is made of and what it last made known of itself. */
public record ListedAgent(AgentId id, DirectoryEntry entry, AgentStatus status) {

  /** Before it has made anything known. */
  static AgentStatus silent(DirectoryEntry entry) {
    return new AgentStatus(AgentState.INITIALIZED, Optional.empty(), entry.since());
  }
}
