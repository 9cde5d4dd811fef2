package dev.colony.agent.suspension;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * That an agent is suspended, and until when.
 *
 * @param number counts the agent's suspensions from 1: a resumption names the one that it ends, so
 *     that a late one ends no other
 * @param reason for people, one line; may be empty
 * @param until what ends it by itself; empty if only a caller does
 * @param at since when, by the clock of the node that journaled it
 * @param since from when its run has waited for room, over suspensions with the cause CAPACITY that
 *     no step came between; with any other cause the same as {@code at}
 * @param events whether writes that the agent handles end it too
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Suspension(
    long number,
    SuspensionCause cause,
    String reason,
    Optional<ResumptionCondition> until,
    Instant at,
    Instant since,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean events) {

  public Suspension {
    if (number < 1) {
      throw new IllegalArgumentException("suspensions are numbered from 1, not: " + number);
    }
    Objects.requireNonNull(cause, "cause");
    reason = reason == null ? "" : reason;
    until = until == null ? Optional.empty() : until;
    Objects.requireNonNull(at, "at");
    since = since == null ? at : since;
  }

  /** One that no writes end, of an agent that did not wait before. */
  public Suspension(
      long number,
      SuspensionCause cause,
      String reason,
      Optional<ResumptionCondition> until,
      Instant at) {
    this(number, cause, reason, until, at, at, false);
  }
}
