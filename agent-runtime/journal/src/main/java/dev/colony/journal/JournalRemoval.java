package dev.colony.journal;

import dev.colony.blackboard.payload.PayloadSweep.Swept;
import dev.colony.blackboard.payload.PayloadVault;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Removes whole journals of those who are at their end, and what is left over. Thread-safe. */
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
   * Removes events, snapshots and all else that is stored of a persistence id, in one step, then
   * its payloads; the second time changes nothing. What a writer of it still appends is refused.
   *
   * @return false, and nothing is removed, where it has work outstanding; fails with {@link
   *     JournalException} when Redis or the store of payloads does not answer in time
   */
  public CompletionStage<Boolean> remove(String persistenceId) {
    return journal.log().remove(persistenceId);
  }

  /**
   * Deletes payloads that nothing has referred to for a day, a page at a time; what it does may be
   * repeated.
   *
   * @param after where the page before ended; empty at the beginning
   * @param now the time of all nodes
   * @return fails with {@link JournalException} where Redis cannot be used, with {@link
   *     PayloadVault.PayloadException} where the store cannot
   */
  public CompletionStage<Swept> sweep(Optional<String> after, Instant now) {
    return PayloadVault.onVirtualThread(() -> journal.sweep().sweep(after, now));
  }
}
