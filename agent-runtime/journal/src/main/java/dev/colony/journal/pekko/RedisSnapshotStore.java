package dev.colony.journal.pekko;

import dev.colony.journal.Journal;
import dev.colony.journal.SnapshotArchive;
import dev.colony.journal.pekko.JournalExtension.PluginFuture;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.persistence.SelectedSnapshot;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.apache.pekko.persistence.snapshot.japi.SnapshotStore;
import org.apache.pekko.serialization.SerializationExtension;
import scala.concurrent.Future;

/**
 * The snapshot store plugin. Keeps every snapshot it is given until it is told to delete it; how
 * many to keep is the persistent actor's retention. Named by its class in the configuration.
 */
public final class RedisSnapshotStore extends SnapshotStore {

  private final SnapshotArchive archive;
  private final FrameSerialization frames;

  /** Opens the journal's connections, if they are not open yet. */
  public RedisSnapshotStore() {
    Journal journal = JournalExtension.journal(context().system());
    this.archive = journal.snapshots();
    this.frames =
        new FrameSerialization(
            SerializationExtension.get(context().system()),
            "a stored snapshot",
            journal.settings().maxSnapshotBytes());
  }

  @Override
  public Future<Optional<SelectedSnapshot>> doLoadAsync(
      String persistenceId, SnapshotSelectionCriteria criteria) {
    return PluginFuture.of(
        archive
            .load(persistenceId, bounds(criteria))
            .thenApplyAsync(
                found -> found.map(stored -> selected(persistenceId, stored)),
                context().dispatcher()));
  }

  @Override
  public Future<Void> doSaveAsync(SnapshotMetadata metadata, Object snapshot) {
    return PluginFuture.of(save(metadata, snapshot));
  }

  @Override
  public Future<Void> doDeleteAsync(SnapshotMetadata metadata) {
    long number = metadata.sequenceNr();
    return PluginFuture.of(
        archive.delete(
            metadata.persistenceId(),
            new SnapshotArchive.Bounds(number, number, 0, Long.MAX_VALUE)));
  }

  @Override
  public Future<Void> doDeleteAsync(String persistenceId, SnapshotSelectionCriteria criteria) {
    return PluginFuture.of(archive.delete(persistenceId, bounds(criteria)));
  }

  private CompletionStage<Void> save(SnapshotMetadata metadata, Object snapshot) {
    byte[] frame;
    try {
      frame = frames.encodeSnapshot(metadata, snapshot);
    } catch (Exception refusal) {
      return CompletableFuture.failedStage(refusal);
    }
    return archive.save(
        metadata.persistenceId(),
        new SnapshotArchive.Stored(metadata.sequenceNr(), metadata.timestamp(), frame));
  }

  private SelectedSnapshot selected(String persistenceId, SnapshotArchive.Stored stored) {
    return SelectedSnapshot.create(
        new SnapshotMetadata(persistenceId, stored.sequenceNr(), stored.timestampMillis()),
        frames.payloads().read(persistenceId, stored));
  }

  private static SnapshotArchive.Bounds bounds(SnapshotSelectionCriteria criteria) {
    return new SnapshotArchive.Bounds(
        criteria.minSequenceNr(),
        criteria.maxSequenceNr(),
        criteria.minTimestamp(),
        criteria.maxTimestamp());
  }
}
