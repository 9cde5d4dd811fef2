package dev.colony.agent.inspect;

import dev.colony.agent.AgentId;
import dev.colony.agent.lifecycle.AgentSnapshot;

/**
 * An agent as its journal tells of it.
 *
 * @param events how many were journaled
 */
public record InspectedAgent(AgentId id, AgentSnapshot snapshot, long events) {}
