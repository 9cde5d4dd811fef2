package dev.colony.core.lifecycle;

import dev.colony.agent.action.Action;
import dev.colony.agent.step.StepDelta;
import java.util.Objects;

/**
 * An external action that may have started.
 *
 * @param retryable whether it may be executed again under the same idempotency key
 * @param delta what its iteration had changed before
 * @param incarnation which journaled the intent and is executing it, unless a later one has taken
 *     over
 */
public record Intended(Action action, boolean retryable, StepDelta delta, long incarnation) {

  public Intended {
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(delta, "delta");
  }
}
