package dev.colony.journal.pekko;

import dev.colony.journal.AppendCall;
import dev.colony.journal.EventLog;
import dev.colony.journal.Journal;
import dev.colony.journal.JournalSettings;
import dev.colony.journal.ReplayCursor;
import dev.colony.journal.pekko.JournalExtension.PluginFuture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import org.apache.pekko.serialization.SerializationExtension;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The journal plugin: Pekko Persistence on one side, {@link EventLog} on the other. Named by its
 * class in the configuration; no other code creates it.
 */
public final class RedisJournal extends AsyncWriteJournal {

  private final EventLog log;
  private final FrameSerialization frames;
  private final Executor replayDispatcher;

  /** Opens the journal's connections, if they are not open yet. */
  public RedisJournal() {
    Journal journal = JournalExtension.journal(context().system());
    this.log = journal.log();
    this.frames =
        new FrameSerialization(
            SerializationExtension.get(context().system()),
            JournalSettings.PATH + ".max-event-bytes",
            journal.settings().maxEventBytes());
    this.replayDispatcher =
        context()
            .system()
            .dispatchers()
            .lookup(
                context()
                    .system()
                    .settings()
                    .config()
                    .getString(JournalSettings.PATH + ".replay-dispatcher"));
  }

  @Override
  public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(Iterable<AtomicWrite> writes) {
    List<byte[]> batch = new ArrayList<>();
    List<Optional<Exception>> results = new ArrayList<>();
    Optional<AppendCall.IndexChange> index = Optional.empty();
    PersistentRepr first = null;
    boolean rejected = false;
    for (AtomicWrite write : writes) {
      List<PersistentRepr> events = CollectionConverters.asJava(write.payload());
      first = first == null ? events.getFirst() : first;
      Optional<Exception> refusal = add(events, batch);
      results.add(refusal);
      rejected |= refusal.isPresent();
      if (refusal.isEmpty()) {
        for (PersistentRepr event : events) {
          Optional<AppendCall.IndexChange> change = frames.indexChange(event);
          index = change.isPresent() ? change : index;
        }
      }
    }
    Iterable<Optional<Exception>> answer = rejected ? results : Collections.emptyList();
    return PluginFuture.of(
        log.append(first.persistenceId(), first.sequenceNr(), first.writerUuid(), index, batch)
            .thenApply(done -> answer));
  }

  @Override
  public Future<Void> doAsyncDeleteMessagesTo(String persistenceId, long toSequenceNr) {
    return PluginFuture.of(log.delete(persistenceId, toSequenceNr));
  }

  @Override
  public Future<Void> doAsyncReplayMessages(
      String persistenceId, long from, long to, long max, Consumer<PersistentRepr> replay) {
    return PluginFuture.of(
        log.replay(
            new ReplayCursor(persistenceId, Math.max(1, from), to, max),
            EventLog.REPLAY_BATCH,
            replayDispatcher,
            replayed -> replay.accept(frames.decode(persistenceId, replayed))));
  }

  @Override
  public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long from) {
    return PluginFuture.of(log.highest(persistenceId, from));
  }

  /** Adds all of an atomic write, or a gap marker for each of its events if one is rejected. */
  private Optional<Exception> add(List<PersistentRepr> events, List<byte[]> batch) {
    List<byte[]> encoded = new ArrayList<>(events.size());
    try {
      for (PersistentRepr event : events) {
        encoded.add(frames.encode(event));
      }
      batch.addAll(encoded);
      return Optional.empty();
    } catch (Exception refusal) {
      events.forEach(event -> batch.add(frames.gap(event, refusal)));
      return Optional.of(refusal);
    }
  }
}
