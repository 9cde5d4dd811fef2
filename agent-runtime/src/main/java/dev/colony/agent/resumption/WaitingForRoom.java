package dev.colony.agent.resumption;

import dev.colony.agent.AgentId;

/**
 * A suspended agent that waits for room.
 *
 * @param suspension its number
 * @param rank see {@link RoomOrder}
 */
public record WaitingForRoom(AgentId agent, long suspension, long rank) {}
