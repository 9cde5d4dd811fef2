package dev.colony.journal;

import dev.colony.journal.Journal.PastEvents;
import dev.colony.journal.JournalException.DamagedLogException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;

/**
 * Reads events and snapshots without waking their agents, and without writing anything.
 * Thread-safe; stages fail with {@link JournalException}.
 */
public final class JournalReader implements PastEvents {

  private static final Executor HANDLER = ForkJoinPool.commonPool();

  private final Journal journal;
  private final PayloadReader payloads;

  /**
   * An event, or a snapshot that holds all events up to its number.
   *
   * @param writer names the actor that journaled the event, each one that ever was by another name;
   *     empty for a snapshot
   */
  public record Stored(long sequenceNr, String writer, Object content) {}

  JournalReader(Journal journal, PayloadReader payloads) {
    this.journal = journal;
    this.payloads = payloads;
  }

  /**
   * How far a log reaches.
   *
   * @param first the number of the first event that is still there, {@code last + 1} if none is
   * @param last that of the last event ever stored, 0 if there never was one
   * @param lost what the store has lost behind that, if an operator has still to decide about it
   */
  public record Reach(long first, long last, Optional<LostLogs.Lost> lost) {}

  @Override
  public CompletionStage<Reach> reach(String persistenceId) {
    return journal.log().reach(persistenceId);
  }

  public LostLogs lostLogs() {
    return journal.lostLogs();
  }

  public JournalRemoval removal() {
    return journal.removal();
  }

  @Override
  public CompletionStage<Optional<Stored>> snapshot(String persistenceId, long upTo) {
    return journal
        .snapshots()
        .load(persistenceId, new SnapshotArchive.Bounds(0, upTo, 0, Long.MAX_VALUE))
        .thenApply(found ->
            found.map(stored ->
                new Stored(stored.sequenceNr(), "", payloads.read(persistenceId, stored))));
  }

  @Override
  public CompletionStage<Void> events(
      String persistenceId, long from, long to, Consumer<Stored> each) {
    return journal
        .log()
        .replay(
            new ReplayCursor(persistenceId, Math.max(1, from), to, Long.MAX_VALUE),
            EventLog.REPLAY_BATCH,
            HANDLER,
            replayed ->
                each.accept(
                    new Stored(
                        replayed.sequenceNr(),
                        replayed.event().writer(),
                        payloads.read(persistenceId, replayed.sequenceNr(), replayed.event()))));
  }

  /** Reads what a serializer wrote into a frame. Thread-safe. */
  @FunctionalInterface
  public interface PayloadReader {

    /**
     * The event or the snapshot again.
     *
     * @param serializer the identifier of the one that wrote it
     * @param manifest as that serializer named its type
     * @throws Exception if this cannot be read here
     */
    Object read(int serializer, String manifest, byte[] payload) throws Exception;

    /**
     * The same of a stored frame.
     *
     * @throws JournalException if it cannot be read here
     */
    default Object read(String persistenceId, long sequenceNr, EventFrame.Event stored) {
      try {
        return read(stored.serializer(), stored.manifest(), stored.payload());
      } catch (Exception unreadable) {
        throw new JournalException(
            "%s at %d cannot be read by serializer %d with manifest '%s'"
                .formatted(persistenceId, sequenceNr, stored.serializer(), stored.manifest()),
            unreadable,
            false);
      }
    }

    /**
     * The same of a stored snapshot.
     *
     * @throws JournalException if its frame is none of a snapshot, or cannot be read here
     */
    default Object read(String persistenceId, SnapshotArchive.Stored stored) {
      return switch (EventFrame.decode(stored.frame())) {
        case EventFrame.Event snapshot -> read(persistenceId, stored.sequenceNr(), snapshot);
        case EventFrame.Gap gap ->
            throw new DamagedLogException(
                persistenceId, "snapshot " + stored.sequenceNr() + " is a gap marker");
        case EventFrame.Outside outside ->
            throw new IllegalStateException("the payload of " + outside + " was not fetched");
      };
    }
  }
}
