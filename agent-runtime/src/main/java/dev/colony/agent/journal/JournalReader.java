package dev.colony.agent.journal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.serialization.SerializationExtension;

/**
 * Reads events and snapshots without waking whom they belong to, and without writing anything.
 * Thread-safe; stages fail with {@link JournalException}.
 */
public final class JournalReader {

  private static final Executor HANDLER = ForkJoinPool.commonPool();

  private final JournalConnections journal;
  private final SnapshotArchive archive;
  private final FrameSerialization frames;

  /**
   * An event, or a snapshot that holds all events up to its number.
   *
   * @param writer names the actor that journaled the event, each one that ever was by another name;
   *     empty for a snapshot
   */
  public record Stored(long sequenceNr, String writer, Object content) {}

  private JournalReader(JournalConnections journal, FrameSerialization frames) {
    this.journal = journal;
    this.archive = new SnapshotArchive(journal.redis(), journal.keys(), journal.retry());
    this.frames = frames;
  }

  /** Over the journal of an actor system, which need be no member of a cluster. */
  public static JournalReader of(ClassicActorSystemProvider system) {
    JournalConnections journal = JournalConnections.get(system);
    return new JournalReader(
        journal,
        new FrameSerialization(
            SerializationExtension.get(system),
            JournalSettings.PATH + ".max-event-bytes",
            journal.settings().maxEventBytes()));
  }

  /** The number of the last event ever stored, 0 if there never was one. */
  public CompletionStage<Long> last(String persistenceId) {
    return journal.log().highest(persistenceId, 0);
  }

  /** The newest snapshot. */
  public CompletionStage<Optional<Stored>> snapshot(String persistenceId) {
    SnapshotArchive.Bounds any = new SnapshotArchive.Bounds(0, Long.MAX_VALUE, 0, Long.MAX_VALUE);
    return archive
        .load(persistenceId, any)
        .thenApply(found ->
            found.map(stored ->
                new Stored(stored.sequenceNr(), "", frames.decodeSnapshot(persistenceId, stored))));
  }

  /**
   * The events from one number to another, both included, in order; deleted ones are left out.
   *
   * @return fails with {@link DamagedLogException} over a hole, as a recovery would
   */
  public CompletionStage<List<Stored>> events(String persistenceId, long from, long to) {
    List<Stored> events = Collections.synchronizedList(new ArrayList<>());
    return journal
        .log()
        .replay(
            new ReplayCursor(persistenceId, Math.max(1, from), to, Long.MAX_VALUE),
            journal.settings().replayBatch(),
            HANDLER,
            replayed ->
                events.add(
                    new Stored(
                        replayed.sequenceNr(),
                        replayed.event().writer(),
                        frames.decode(persistenceId, replayed).payload())))
        .thenApply(done -> List.copyOf(events));
  }
}
