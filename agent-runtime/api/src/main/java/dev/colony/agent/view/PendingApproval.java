package dev.colony.agent.view;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that an agent asks a person for, and that it waits for.
 *
 * @param request the name to answer to, with {@link dev.colony.agent.client.AgentHandle#approve} or
 *     {@link dev.colony.agent.client.AgentHandle#deny}
 * @param reason what it is about, one line: of an action its key and its parameters
 * @param runId of the run that asks; empty where it is the suspension of the agent that does
 * @param since from when on it waits, by the clock of the node that journaled it
 */
public record PendingApproval(
    AgentId agentId, String request, String reason, Optional<RunId> runId, Instant since) {

  public PendingApproval {
    Objects.requireNonNull(agentId, "agentId");
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(since, "since");
  }
}
