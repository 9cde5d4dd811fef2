package dev.colony.agent.client;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Runs that belong together.
 *
 * @param openedBy who opened it, for people
 * @param openedAt by the clock of the caller that opened it
 * @param closed when and why it was closed; empty while it is open
 */
public record Session(
    SessionId sessionId,
    String openedBy,
    Instant openedAt,
    Optional<Closing> closed,
    SessionTotals totals) {

  public record Closing(Instant at, String by, String reason) {}

  /** Whether it admits runs. */
  public enum State {
    OPEN,
    CLOSED
  }

  public Session {
    Objects.requireNonNull(sessionId, "sessionId");
    Objects.requireNonNull(openedBy, "openedBy");
    Objects.requireNonNull(openedAt, "openedAt");
    // The totals are kept apart.
    totals = totals == null ? SessionTotals.NONE : totals;
  }

  @JsonProperty
  public State state() {
    return closed.isPresent() ? State.CLOSED : State.OPEN;
  }

  public Session close(Closing closing) {
    return new Session(sessionId, openedBy, openedAt, Optional.of(closing), totals);
  }

  /** The same with these totals. */
  public Session totals(SessionTotals counted) {
    return new Session(sessionId, openedBy, openedAt, closed, counted);
  }

  /**
   * What the runs of a session came to. Each run counts once, however often its end is reported.
   *
   * @param runs that were admitted, those under way included
   * @param stats of the runs that have ended, added up
   */
  public record SessionTotals(
      long runs, long completed, long failed, long cancelled, RunStats stats) {

    public static final SessionTotals NONE = new SessionTotals(0, 0, 0, 0, RunStats.NONE);

    public SessionTotals {
      Objects.requireNonNull(stats, "stats");
    }

    /** How many runs have not ended. */
    public long underWay() {
      return runs - completed - failed - cancelled;
    }

    public SessionTotals admitted() {
      return new SessionTotals(runs + 1, completed, failed, cancelled, stats);
    }

    /** A run that was refused, and counted as failed, is under way after all. */
    public SessionTotals readmitted() {
      return new SessionTotals(runs, completed, failed - 1, cancelled, stats);
    }

    public SessionTotals ended(AgentRun run) {
      return plus(
          switch (SessionRun.Status.of(run)) {
            case RUNNING ->
                throw new IllegalStateException("run " + run.runId() + " has not ended");
            case COMPLETED -> new SessionTotals(0, 1, 0, 0, run.stats());
            case FAILED -> new SessionTotals(0, 0, 1, 0, run.stats());
            case CANCELLED -> new SessionTotals(0, 0, 0, 1, run.stats());
          });
    }

    public SessionTotals plus(SessionTotals other) {
      return new SessionTotals(
          runs + other.runs,
          completed + other.completed,
          failed + other.failed,
          cancelled + other.cancelled,
          stats.plus(other.stats));
    }
  }
}
