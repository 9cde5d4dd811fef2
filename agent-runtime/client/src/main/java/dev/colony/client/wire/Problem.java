package dev.colony.client.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.journal.JournalException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * Why a call was not carried out, as {@code application/problem+json} says it.
 *
 * <p>Source: RFC 9457; {@code code}, {@code retryable} and {@code reason} are our members.
 *
 * @param status of HTTP
 * @param code the kind of problem, which programs may rely on
 * @param title the same for people, the same words for every problem of the code
 * @param detail what is wrong this time, one line
 * @param retryable whether the same call may succeed later
 * @param reason what is the matter with the blackboard, where it is that
 */
public record Problem(
    int status,
    String code,
    String title,
    String detail,
    boolean retryable,
    Optional<Reason> reason) {

  /** What stands before the code in the problem's type. */
  public static final String TYPE = "urn:colony:problem:";

  public static final String MEDIA_TYPE = "application/problem+json";

  public static final String BAD_REQUEST = "bad-request";
  public static final String REFUSED = "refused";
  public static final String UNAVAILABLE = "unavailable";
  public static final String BLACKBOARD = "blackboard";
  public static final String INBOX_FULL = "inbox-full";
  public static final String EVENTS_LOST = "events-lost";

  /** Of a run that is not there, where the store has gone back: it may have been. */
  public static final String RUN_LOST = "run-lost";

  public static final String INTERNAL = "internal";

  public Problem {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(title, "title");
    Objects.requireNonNull(detail, "detail");
    Objects.requireNonNull(reason, "reason");
  }

  /**
   * What a call of {@link dev.colony.agent.client.AgentHandle} and the like fails with; {@link
   * #failure} makes the same of it again. What is not of their kind says nothing of itself.
   */
  public static Problem of(Throwable failure) {
    return switch (failure) {
      case AgentException agent when agent.retryable() -> unavailable(agent.getMessage());
      case AgentException refused ->
          plain(409, REFUSED, "What was asked for is refused", refused.getMessage());
      case BlackboardException board -> of(board);
      case JournalException journal when journal.retryable() -> unavailable(journal.getMessage());
      case IllegalArgumentException wrong ->
          plain(400, BAD_REQUEST, "The request is not what it should be", wrong.getMessage());
      default -> plain(500, INTERNAL, "A fault of the server", "see the log of the node");
    };
  }

  private static Problem of(BlackboardException board) {
    Optional<Reason> reason = Optional.of(board.reason());
    if (board.reason() == Reason.EVENTS_LOST) {
      return new Problem(
          410, EVENTS_LOST, "Events are no longer stored", board.getMessage(), false, reason);
    }
    if (board.full()) {
      return new Problem(
          board.reason() == Reason.INBOX_FULL ? 503 : 429,
          INBOX_FULL,
          "Too many requests wait already",
          board.getMessage(),
          true,
          reason);
    }
    return new Problem(
        board.retryable() ? 503 : 500,
        BLACKBOARD,
        "The blackboard cannot be used",
        board.getMessage(),
        board.retryable(),
        reason);
  }

  private static Problem unavailable(String detail) {
    return new Problem(503, UNAVAILABLE, "This cannot be done now", detail, true, Optional.empty());
  }

  private static Problem plain(int status, String code, String title, String detail) {
    return new Problem(status, code, title, String.valueOf(detail), false, Optional.empty());
  }

  /** The exception that a caller in the cluster would have seen. */
  public RuntimeException failure() {
    return switch (code) {
      case BAD_REQUEST -> new IllegalArgumentException(detail);
      case BLACKBOARD, INBOX_FULL, EVENTS_LOST ->
          new BlackboardException(reason.orElse(Reason.INTERNAL), detail);
      default -> new AgentException(detail, null, retryable);
    };
  }

  /** Its {@code type}: names the kind of problem for every reader of such answers. */
  @JsonProperty
  public String type() {
    return TYPE + code;
  }

  /** Reads it back; what is absent or unknown is as of a fault of the server. */
  public static Problem fromJson(JsonNode json) {
    return new Problem(
        json.path("status").asInt(500),
        json.path("code").asText(INTERNAL),
        json.path("title").asText(""),
        json.path("detail").asText(json.path("title").asText("")),
        json.path("retryable").asBoolean(),
        Optional.of(json.path("reason").asText(""))
            .flatMap(name ->
                Arrays.stream(Reason.values()).filter(one -> one.name().equals(name)).findAny()));
  }
}
