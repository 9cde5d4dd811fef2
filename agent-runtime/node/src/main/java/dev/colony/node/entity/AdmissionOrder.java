package dev.colony.node.entity;

import dev.colony.agent.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The first run that an agent has turned away because it is full. Until that run has come again, no
 * other one is taken: so a run that is asked for later does not overtake it when there is room
 * between the two. It is not waited for without an end, since it may never come: its reader may
 * have found that it was cancelled. Pure but for its own state; used by one actor.
 */
final class AdmissionOrder {

  private final Duration patience;
  private Optional<RunId> first = Optional.empty();
  private Instant until = Instant.MIN;

  AdmissionOrder(Duration patience) {
    this.patience = patience;
  }

  /** Whether this run has to wait for another's turn. */
  boolean mustWait(RunId run, Instant now) {
    return first.isPresent() && !first.get().equals(run) && now.isBefore(until);
  }

  /** A run that does not wait for another's turn was turned away. */
  void refused(RunId run, Instant now) {
    first = Optional.of(run);
    until = now.plus(patience);
  }

  /** A run that does not wait for another's turn was dealt with. */
  void settled() {
    first = Optional.empty();
  }

  /** Whether any was turned away since the last that was taken. */
  boolean waiting() {
    return first.isPresent();
  }
}
