package dev.colony.node.resumption;

import dev.colony.agent.AgentId;

/**
 * A suspended agent that waits for capacity.
 *
 * @param suspension its number
 * @param rank see {@link WaitOrder}
 */
public record WaitingForCapacity(AgentId agent, long suspension, long rank) {}
