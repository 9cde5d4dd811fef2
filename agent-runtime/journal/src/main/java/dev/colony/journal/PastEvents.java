package dev.colony.journal;

import dev.colony.journal.JournalException.DamagedLogException;
import dev.colony.journal.JournalReader.Reach;
import dev.colony.journal.JournalReader.Stored;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The events and snapshots that are kept of agents, read without waking them. Thread-safe; stages
 * fail with {@link JournalException}.
 */
public interface PastEvents {

  /** How far a log reaches. */
  CompletionStage<Reach> reach(String persistenceId);

  /**
   * The newest snapshot that holds no event beyond a number.
   *
   * @param upTo at least 0
   */
  CompletionStage<Optional<Stored>> snapshot(String persistenceId, long upTo);

  /**
   * The events from one number to another, both included, in order, each handed over as it is read,
   * so that no more than some are in memory at once; deleted ones are left out.
   *
   * @param each is called for one at a time, on one thread or another
   * @return fails with {@link DamagedLogException} over a hole, as a recovery would
   */
  CompletionStage<Void> events(String persistenceId, long from, long to, Consumer<Stored> each);

  /** The same as a list. */
  default CompletionStage<List<Stored>> events(String persistenceId, long from, long to) {
    List<Stored> events = Collections.synchronizedList(new ArrayList<>());
    return events(persistenceId, from, to, events::add).thenApply(done -> List.copyOf(events));
  }

  /**
   * Those of journals in memory that keep each event, and no snapshots.
   *
   * @param journals all events of a journal so far, numbered from 1
   */
  static PastEvents of(Function<String, List<Stored>> journals) {
    return new PastEvents() {

      @Override
      public CompletionStage<Reach> reach(String persistenceId) {
        return CompletableFuture.completedStage(
            new Reach(1, journals.apply(persistenceId).size(), Optional.empty()));
      }

      @Override
      public CompletionStage<Optional<Stored>> snapshot(String persistenceId, long upTo) {
        return CompletableFuture.completedStage(Optional.empty());
      }

      @Override
      public CompletionStage<Void> events(
          String persistenceId, long from, long to, Consumer<Stored> each) {
        journals.apply(persistenceId).stream()
            .filter(one -> one.sequenceNr() >= from && one.sequenceNr() <= to)
            .forEach(each);
        return CompletableFuture.completedStage(null);
      }
    };
  }
}
