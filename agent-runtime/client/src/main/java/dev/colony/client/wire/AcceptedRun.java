package dev.colony.client.wire;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;

/** The answer to a request to run an agent: the request is stored. */
public record AcceptedRun(RunId runId, AgentId agentId) {}
