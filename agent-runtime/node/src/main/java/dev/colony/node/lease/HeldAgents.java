package dev.colony.node.lease;

import dev.colony.agent.AgentId;
import java.util.Set;

/**
 * The agents that wait for leases, as the authority on this node knows them; none where it is on
 * another node. Thread-safe.
 */
public final class HeldAgents {

  private volatile Set<String> names = Set.of();

  void are(Set<String> held) {
    names = held;
  }

  /** Whether it is of no use to wake an agent for other capacity. */
  public boolean contains(AgentId agent) {
    return names.contains(agent.persistenceId());
  }
}
