package dev.colony.agent.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A run that an agent has accepted and whose result is not published.
 *
 * @param namespace the part of the agent's scope where request, events and result stand
 * @param requestedBy who asked for it
 * @param trace names the whole of what one request set off, over all agents
 * @param sessionId of the session that it is in; empty outside any
 * @param acceptedAt from when its time counts, by the clock of the node that journaled it
 * @param cancelled why a caller wants it to end; present once one does
 * @param stats what it has taken so far; empty for one that waits behind another
 * @param blocked why its next step waits; empty where it does not
 */
public record RunView(
    RunId runId,
    String namespace,
    JsonNode input,
    String requestedBy,
    String trace,
    Optional<SessionId> sessionId,
    Instant acceptedAt,
    Optional<String> cancelled,
    Optional<RunStats> stats,
    Optional<BlockedView> blocked) {

  public RunView {
    Objects.requireNonNull(runId, "runId");
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(acceptedAt, "acceptedAt");
  }
}
