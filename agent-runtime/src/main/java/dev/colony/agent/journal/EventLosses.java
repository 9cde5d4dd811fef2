package dev.colony.agent.journal;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What a node knows of events that the store has lost. Thread-safe. */
public interface EventLosses {

  /** Of a store that loses nothing. */
  EventLosses NONE =
      new EventLosses() {
        @Override
        public boolean diedUnknown(String node) {
          return false;
        }

        @Override
        public CompletionStage<Void> hold(String persistenceId) {
          return CompletableFuture.completedStage(null);
        }

        @Override
        public Optional<LostLogs.Decided> takeDecision(String persistenceId) {
          return Optional.empty();
        }
      };

  /**
   * Whether a node died together with a store that went back, so that it is unknown what its agents
   * had acknowledged; as far as is known here.
   */
  boolean diedUnknown(String node);

  /**
   * Has a log take nothing until an operator has decided, because its end is unknown; the stage
   * fails where Redis does not answer.
   */
  CompletionStage<Void> hold(String persistenceId);

  /** What an operator has decided about a log that was recovered here; given once. */
  Optional<LostLogs.Decided> takeDecision(String persistenceId);
}
