package dev.colony.agent.session;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
    SessionId id,
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
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(openedBy, "openedBy");
    Objects.requireNonNull(openedAt, "openedAt");
    Objects.requireNonNull(totals, "totals");
  }

  public State state() {
    return closed.isPresent() ? State.CLOSED : State.OPEN;
  }

  Session close(Closing closing) {
    return new Session(id, openedBy, openedAt, Optional.of(closing), totals);
  }

  /** The same with these totals. */
  public Session totals(SessionTotals counted) {
    return new Session(id, openedBy, openedAt, closed, counted);
  }

  /** All of it but the totals, which are kept apart; {@link #fromJson} reads it back. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("id", id.value());
    json.put("state", state().name());
    json.put("openedBy", openedBy);
    json.put("openedAt", openedAt.toString());
    closed.ifPresent(closing -> {
      json.put("closedAt", closing.at().toString());
      json.put("closedBy", closing.by());
      json.put("reason", closing.reason());
    });
    return json;
  }

  /**
   * Reads {@link #toJson} back, without totals.
   *
   * @throws IllegalArgumentException or {@link java.time.DateTimeException} if it is no session
   */
  public static Session fromJson(JsonNode json) {
    return new Session(
        new SessionId(json.path("id").asText()),
        json.path("openedBy").asText(),
        Instant.parse(json.path("openedAt").asText()),
        json.hasNonNull("closedAt")
            ? Optional.of(
                new Closing(
                    Instant.parse(json.path("closedAt").asText()),
                    json.path("closedBy").asText(),
                    json.path("reason").asText()))
            : Optional.empty(),
        SessionTotals.NONE);
  }
}
