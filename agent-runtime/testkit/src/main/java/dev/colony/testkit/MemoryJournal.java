package dev.colony.testkit;

import com.typesafe.config.Config;
import dev.colony.core.lifecycle.AgentEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.SelectedSnapshot;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import org.apache.pekko.persistence.snapshot.japi.SnapshotStore;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializers;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The plugin of Pekko Persistence behind a {@link InMemoryStore}. A node whose write meets the
 * store's {@link KillPoint} hears of no write any more.
 */
public final class MemoryJournal extends AsyncWriteJournal {

  private static final String PATH = "colony.testkit.journal";
  private static final String SNAPSHOTS = "colony.testkit.snapshots";
  private static final Map<String, InMemoryStore> STORES = new ConcurrentHashMap<>();

  private final InMemoryStore store;
  private final Serialization serialization = SerializationExtension.get(context().system());

  /** Made by Pekko. */
  public MemoryJournal(Config config) {
    this.store = STORES.get(config.getString("store"));
  }

  /** The configuration of a node whose journals are in a store. */
  static String config(String name, InMemoryStore store) {
    STORES.put(name, store);
    return """
    pekko.persistence.journal.plugin = "%s"
    pekko.persistence.snapshot-store.plugin = "%s"
    %s { class = "%s", store = "%s" }
    %s { class = "%s" }
    """
        .formatted(
            PATH,
            SNAPSHOTS,
            PATH,
            MemoryJournal.class.getName(),
            name,
            SNAPSHOTS,
            NoSnapshots.class.getName());
  }

  /** No node of that name starts any more. */
  static void forget(String name) {
    STORES.remove(name);
  }

  @Override
  public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(Iterable<AtomicWrite> writes) {
    boolean lives = true;
    for (AtomicWrite write : writes) {
      List<InMemoryStore.Event> batch = new ArrayList<>();
      Optional<Boolean> outstanding = Optional.empty();
      for (PersistentRepr event : CollectionConverters.asJava(write.payload())) {
        AgentEvent said = (AgentEvent) untagged(event);
        batch.add(stored(event.sequenceNr(), said));
        if (said.outstanding().isPresent()) {
          outstanding = said.outstanding();
        }
      }
      lives &= store.write(write.persistenceId(), batch, outstanding);
    }
    return lives
        ? Future.successful(List.of())
        : Promise.<Iterable<Optional<Exception>>>apply().future();
  }

  @Override
  public Future<Void> doAsyncDeleteMessagesTo(String persistenceId, long toSequenceNr) {
    return Future.successful(null);
  }

  @Override
  public Future<Void> doAsyncReplayMessages(
      String persistenceId, long from, long to, long max, Consumer<PersistentRepr> replay) {
    store.events(persistenceId).stream()
        .filter(one -> one.sequenceNr() >= from && one.sequenceNr() <= to)
        .limit(max)
        .forEach(one -> replay.accept(replayed(persistenceId, one)));
    return Future.successful(null);
  }

  @Override
  public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long from) {
    return Future.successful((long) store.events(persistenceId).size());
  }

  private InMemoryStore.Event stored(long sequenceNr, AgentEvent event) {
    var serializer = serialization.findSerializerFor(event);
    return new InMemoryStore.Event(
        sequenceNr,
        serializer.identifier(),
        Serializers.manifestFor(serializer, event),
        serializer.toBinary(event));
  }

  private static Object untagged(PersistentRepr event) {
    return event.payload() instanceof Tagged tagged ? tagged.payload() : event.payload();
  }

  private PersistentRepr replayed(String persistenceId, InMemoryStore.Event one) {
    Object payload = serialization.deserialize(one.bytes(), one.serializer(), one.manifest()).get();
    return PersistentRepr.apply(payload, one.sequenceNr(), persistenceId, "", false, null, "");
  }

  /** Takes each snapshot and keeps none, so that a recovery reads the whole journal. */
  public static final class NoSnapshots extends SnapshotStore {

    @Override
    public Future<Optional<SelectedSnapshot>> doLoadAsync(
        String persistenceId, SnapshotSelectionCriteria criteria) {
      return Future.successful(Optional.empty());
    }

    @Override
    public Future<Void> doSaveAsync(SnapshotMetadata metadata, Object snapshot) {
      return Future.successful(null);
    }

    @Override
    public Future<Void> doDeleteAsync(SnapshotMetadata metadata) {
      return Future.successful(null);
    }

    @Override
    public Future<Void> doDeleteAsync(String persistenceId, SnapshotSelectionCriteria criteria) {
      return Future.successful(null);
    }
  }
}
