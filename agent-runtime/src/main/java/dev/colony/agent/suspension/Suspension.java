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
 * @param until what ends it by itself; empty if only somebody's word does
 * @param at since when, by the clock of the node that journaled it
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Suspension(
    long number,
    SuspensionCause cause,
    String reason,
    Optional<ResumptionCondition> until,
    Instant at) {

  public Suspension {
    if (number < 1) {
      throw new IllegalArgumentException("suspensions are numbered from 1, not: " + number);
    }
    Objects.requireNonNull(cause, "cause");
    reason = reason == null ? "" : reason;
    until = until == null ? Optional.empty() : until;
    Objects.requireNonNull(at, "at");
  }
}
