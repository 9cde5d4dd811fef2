package dev.colony.cli.agents;

import dev.colony.agent.AgentId;

/**
 * What became of a command to an agent.
 *
 * @param taken whether it is known to have taken it; what was given and is not taken yet will be
 * @param message for people, one line
 */
public record SignalResult(AgentId agentId, boolean taken, String message) {}
