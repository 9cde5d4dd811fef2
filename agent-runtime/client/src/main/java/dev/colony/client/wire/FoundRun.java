package dev.colony.client.wire;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;

/**
 * Where a run that is known by its id alone was found.
 *
 * @param namespace that it was asked for in
 */
public record FoundRun(RunId runId, AgentId agentId, String namespace) {}
