package dev.colony.agent.view;

import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.Suspension;
import dev.colony.agent.suspension.SuspensionCause;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * That an agent is suspended, and until when.
 *
 * @param number counts the agent's suspensions from 1
 * @param reason for people, one line; may be empty
 * @param until what ends it by itself; empty if only a signal does
 * @param since when, by the clock of the node that journaled it
 */
public record SuspensionView(
    long number,
    SuspensionCause cause,
    String reason,
    Optional<ResumptionCondition> until,
    Instant since) {

  public SuspensionView {
    Objects.requireNonNull(cause, "cause");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(since, "since");
  }

  /** What callers see of it. */
  public static SuspensionView of(Suspension suspension) {
    return new SuspensionView(
        suspension.number(),
        suspension.cause(),
        suspension.reason(),
        suspension.until(),
        suspension.at());
  }
}
