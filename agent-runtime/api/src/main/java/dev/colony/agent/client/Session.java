package dev.colony.agent.client;

import com.fasterxml.jackson.annotation.JsonProperty;
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

  /** The end of a session. */
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
}
