package dev.colony.journal;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

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

        @Override
        public void written(String what, Supplier<? extends CompletionStage<?>> again) {}
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

  /**
   * An agent's write to the blackboard, of which its journal tells, is stored. Should the store go
   * back to an older state soon, it is made again.
   *
   * @param what is being done, for the log
   * @param again makes the same write, which may be repeated at any time; keeps what it refers to
   *     in memory for a while
   */
  void written(String what, Supplier<? extends CompletionStage<?>> again);
}
