package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;
import java.util.Optional;

/**
 * What went wrong in an iteration.
 *
 * @param kind a short stable word, for example {@code model}, {@code action}, {@code budget}
 * @param message one line for people and planners
 * @param actionId the action in which it did
 * @param retryable whether the same again may succeed
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record ErrorContext(
    String kind, String message, Optional<String> actionId, boolean retryable) {

  /** Of an iteration that was refused a model call, since a budget is spent. */
  public static final String BUDGET = "budget";

  public ErrorContext {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(message, "message");
    actionId = actionId == null ? Optional.empty() : actionId;
  }

  public static ErrorContext of(String kind, String message) {
    return new ErrorContext(kind, message, Optional.empty(), false);
  }
}
