package dev.colony.journal;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * The persistence ids with work outstanding: whatever must be woken after a crash, found without
 * starting an agent to ask it.
 *
 * <p>Kept by the journal in the same script that stores the event, so it never disagrees with the
 * log: an event tagged {@link #OUTSTANDING} adds its persistence id, one tagged {@link #SETTLED}
 * takes it out; of several in one write the last one holds. Both are idempotent, so tag each event
 * by the state it leads to. Divided into slots, for several wakers or one that goes around.
 */
public final class OutstandingIndex {

  /** The tag of an event that leaves work outstanding. */
  public static final String OUTSTANDING = "outstanding";

  /** The tag of an event that leaves nothing outstanding. */
  public static final String SETTLED = "settled";

  private final Journal journal;

  OutstandingIndex(Journal journal) {
    this.journal = journal;
  }

  /** How many slots there are; they are numbered from 0. */
  public int slots() {
    return journal.keys().slots();
  }

  /** The slot of a persistence id; never changes. */
  public int slotOf(String persistenceId) {
    return journal.keys().slot(persistenceId);
  }

  /**
   * The persistence ids of one slot with work outstanding. One read of the whole slot, as of now;
   * empty when there are none.
   *
   * @return fails with {@link JournalException} when Redis does not answer in time
   * @throws IllegalArgumentException if there is no such slot
   */
  public CompletionStage<Set<String>> slot(int slot) {
    if (slot < 0 || slot >= slots()) {
      throw new IllegalArgumentException("slot is " + slot + ", allowed is 0 to " + (slots() - 1));
    }
    return journal
        .retry()
        .whileItHelps(() -> journal.redis().commands().smembers(journal.keys().outstanding(slot)))
        .thenApply(members ->
            members.stream()
                .map(member -> new String(member, StandardCharsets.UTF_8))
                .collect(Collectors.toUnmodifiableSet()))
        .exceptionally(failure -> {
          throw RedisRetry.failed("reading slot", Integer.toString(slot), failure);
        });
  }
}
