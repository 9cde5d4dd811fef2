package dev.colony.inference.admission;

import java.util.Objects;

/**
 * What admission goes by.
 *
 * @param priority {@value #LEAST_PRIORITY} to {@value #MOST_PRIORITY}; a higher one goes first,
 *     among the calls of its tenant only
 * @param costTokens of prompt and reply, estimated; at least 1. What the call took in the end
 *     replaces it
 * @param latestStartNanos a call that has not begun by then can have no answer within its deadline
 */
public record AdmissionRequest(
    String tenant, int priority, long costTokens, long latestStartNanos) {

  public static final int LEAST_PRIORITY = 0;
  public static final int MOST_PRIORITY = 9;

  public AdmissionRequest {
    Objects.requireNonNull(tenant, "tenant");
    if (priority < LEAST_PRIORITY || priority > MOST_PRIORITY) {
      throw new IllegalArgumentException(
          "a priority is %d to %d, not: %d".formatted(LEAST_PRIORITY, MOST_PRIORITY, priority));
    }
    if (costTokens < 1) {
      throw new IllegalArgumentException("a call costs at least 1 token, not: " + costTokens);
    }
  }
}
