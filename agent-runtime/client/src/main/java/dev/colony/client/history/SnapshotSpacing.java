package dev.colony.client.history;

import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentSnapshot;

/**
 * When an agent's state is to be stored as a snapshot. A snapshot holds the actions of the run that
 * is open, so that at even distances a run of n steps would write n squared of them. Here the
 * distance doubles with them, so that a run writes about as much in snapshots as in events, and a
 * recovery reads the state and about as much again. Pure; follows from the state and the number
 * alone, so that it is the same after a crash.
 *
 * @param every the least distance, in events, at least 1
 */
public record SnapshotSpacing(int every) {

  public SnapshotSpacing {
    if (every < 1) {
      throw new IllegalArgumentException("a snapshot every " + every + " events");
    }
  }

  /** Whether one is due at the event of this number, which led to this state. */
  public boolean due(AgentSnapshot state, long sequenceNr) {
    return sequenceNr % distance(state) == 0;
  }

  /** {@code every} times the power of two that covers the open run's actions. */
  private long distance(AgentSnapshot state) {
    long actions = state.active().map(ActiveRun::history).map(calls -> calls.size()).orElse(0);
    long distance = every;
    while (distance < actions) {
      distance *= 2;
    }
    return distance;
  }
}
