package dev.colony.client.directory;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;

/** Chooses the placement unit in which a new agent lives. Thread-safe, does no I/O. */
@FunctionalInterface
public interface HomeResolver {

  /** A unit from 0 up to, excluding, the number of units that the cluster has agreed on. */
  int homeOf(AgentId agent, AgentBlueprint blueprint);

  /** Spreads agents over the units by the hash of their id: right for unbound ones. */
  static HomeResolver byHash(int units) {
    return (agent, blueprint) -> Math.floorMod(agent.persistenceId().hashCode(), units);
  }

  /**
   * Has all agents live in one unit, and so on one node: for those that share what that node keeps
   * in memory.
   *
   * @param shared names what they share; units are chosen by its hash
   */
  static HomeResolver together(String shared, int units) {
    int unit = Math.floorMod(shared.hashCode(), units);
    return (agent, blueprint) -> unit;
  }
}
