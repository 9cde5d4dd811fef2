package dev.colony.agent;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a run is asked for.
 *
 * @param namespace the part of the agent's scope that the run's entries stand in
 * @param runId the run's id; empty for a new one
 * @param timeout how long to wait for the result; the run itself goes on. Empty means for ever
 * @param session the session that the run belongs to, which has to be open; empty for that of the
 *     run on whose behalf it is asked for, if there is one
 */
public record RunOptions(
    String namespace,
    Optional<RunId> runId,
    String requestedBy,
    Optional<Duration> timeout,
    Optional<SessionId> session) {

  public RunOptions {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(requestedBy, "requestedBy");
    Objects.requireNonNull(session, "session");
  }

  public static RunOptions namespace(String namespace) {
    return new RunOptions(
        namespace, Optional.empty(), "client", Optional.empty(), Optional.empty());
  }

  public RunOptions runId(RunId id) {
    return new RunOptions(namespace, Optional.of(id), requestedBy, timeout, session);
  }

  public RunOptions requestedBy(String who) {
    return new RunOptions(namespace, runId, who, timeout, session);
  }

  public RunOptions timeout(Duration longest) {
    return new RunOptions(namespace, runId, requestedBy, Optional.of(longest), session);
  }

  public RunOptions session(SessionId id) {
    return new RunOptions(namespace, runId, requestedBy, timeout, Optional.of(id));
  }
}
