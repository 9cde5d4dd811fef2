package dev.colony.agent.client;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.value.Text;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A run in a session's list. Its input, its events and its output stand in the agent's scope:
 * {@link dev.colony.agent.client.AgentHandle#attach} reaches them.
 *
 * @param requestedAt by the caller's clock
 * @param endedAt when its end was recorded; empty while it is under way
 * @param stats nothing while it is under way
 * @param error why it failed or was cancelled, one line of at most {@value #MAX_ERROR} characters
 * @param refused whether its agent never accepted it; a fresh try under the same id takes its place
 */
public record SessionRun(
    AgentId agentId,
    String namespace,
    RunId runId,
    String trace,
    Status status,
    String requestedBy,
    Instant requestedAt,
    Optional<Instant> endedAt,
    RunStats stats,
    Optional<String> error,
    boolean refused) {

  /** The rest of a longer error stands in the run's result. */
  public static final int MAX_ERROR = 1_000;

  public enum Status {
    /** Admitted, and not known to have ended. */
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED;

    static Status of(AgentRun run) {
      return valueOf(run.status().name());
    }

    public String tag() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public SessionRun {
    Objects.requireNonNull(agentId, "agentId");
    Objects.requireNonNull(runId, "runId");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(stats, "stats");
  }

  public static SessionRun admitted(AgentId agent, RunRequest request) {
    return new SessionRun(
        agent,
        request.namespace(),
        request.runId(),
        request.context().trace(),
        Status.RUNNING,
        request.requestedBy(),
        request.at(),
        Optional.empty(),
        RunStats.NONE,
        Optional.empty(),
        false);
  }

  public SessionRun ended(AgentRun run, Instant at) {
    return new SessionRun(
        agentId,
        namespace,
        runId,
        trace,
        Status.of(run),
        requestedBy,
        requestedAt,
        Optional.of(at),
        run.stats(),
        run.error().map(error -> Text.head(error, MAX_ERROR)),
        run.refused());
  }
}
