package dev.colony.journal;

import java.util.concurrent.CompletionStage;

/** Removes whole journals of those who are at their end. Thread-safe. */
public final class JournalRemoval {

  private final Journal journal;

  JournalRemoval(Journal journal) {
    this.journal = journal;
  }

  /** Whether there is work outstanding; one read of a whole slot of the index. */
  public CompletionStage<Boolean> outstanding(String persistenceId) {
    OutstandingIndex index = new OutstandingIndex(journal);
    return index
        .slot(index.slotOf(persistenceId))
        .thenApply(members -> members.contains(persistenceId));
  }

  /**
   * Removes events, snapshots and all else that is stored of a persistence id, in one step; the
   * second time changes nothing. What a writer of it still appends is refused.
   *
   * @return false, and nothing is removed, where it has work outstanding; fails with {@link
   *     JournalException} when Redis does not answer in time
   */
  public CompletionStage<Boolean> remove(String persistenceId) {
    return journal.log().remove(persistenceId);
  }
}
