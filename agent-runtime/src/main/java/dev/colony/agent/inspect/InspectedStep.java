package dev.colony.agent.inspect;

import dev.colony.agent.RunId;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.lifecycle.Parked;
import dev.colony.agent.policy.ErrorContext;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A completed step as the journal tells of it.
 *
 * @param sequenceNr of the event that ended it
 * @param run that it belongs to; empty where the journal does not tell
 * @param step counted from 0 within its run
 * @param at when it ended, by the clock of the node that journaled it
 * @param took since the record before it, so about as long as its last model call or its action;
 *     empty for the first record that is read
 * @param call its action and what became of it, if it had one
 * @param usage tokens of its model calls, those within its action included
 * @param parked why the run waited after it
 * @param error what went wrong in it
 */
public record InspectedStep(
    long sequenceNr,
    Optional<RunId> run,
    int step,
    Instant at,
    Optional<Duration> took,
    Optional<ActionCall> call,
    int modelCalls,
    Usage usage,
    BigDecimal cost,
    Optional<Parked> parked,
    Optional<ErrorContext> error)
    implements HistoryEntry {

  InspectedStep of(Optional<RunId> other) {
    return new InspectedStep(
        sequenceNr, other, step, at, took, call, modelCalls, usage, cost, parked, error);
  }
}
