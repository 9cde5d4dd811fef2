package dev.colony.agent;

/**
 * A model call that got no answer, all retries included.
 *
 * @param retryable whether the same call may succeed later
 */
public record ModelFailure(String message, boolean retryable) {}
