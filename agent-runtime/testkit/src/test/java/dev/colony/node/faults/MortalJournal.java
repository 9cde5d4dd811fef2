package dev.colony.node.faults;

import com.typesafe.config.Config;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.node.faults.JournalStore.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializers;
import scala.concurrent.Future;
import scala.concurrent.Promise;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.FutureConverters;

/** A journal of one agent whose writes may be the last thing that a process does. */
public final class MortalJournal extends AsyncWriteJournal {

  private static final String PATH = "colony.test.mortal-journal";

  private final Life life;
  private final Serialization serialization = SerializationExtension.get(context().system());

  public MortalJournal(Config config) {
    this.life = Life.of(config.getString("life"));
  }

  /** The configuration of a process that lives a life. */
  static String config(String life) {
    return """
    pekko.persistence.journal.plugin = "%s"
    %s { class = "%s", life = "%s" }
    """
        .formatted(PATH, PATH, MortalJournal.class.getName(), life);
  }

  @Override
  public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(Iterable<AtomicWrite> writes) {
    if (life.fails()) {
      return FutureConverters.asScala(
          CompletableFuture.failedStage(new IllegalStateException("scripted by the test")));
    }
    boolean heard = true;
    for (AtomicWrite write : writes) {
      List<Stored> batch = new ArrayList<>();
      List<AgentEvent> events = new ArrayList<>();
      for (PersistentRepr event : CollectionConverters.asJava(write.payload())) {
        batch.add(stored(event));
        events.add((AgentEvent) untagged(event));
      }
      heard &= life.write(() -> life.store().append(batch, events));
    }
    return heard
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
    life.store().stored().stream()
        .filter(one -> one.sequenceNr() >= from && one.sequenceNr() <= to)
        .limit(max)
        .forEach(one -> replay.accept(replayed(persistenceId, one)));
    return Future.successful(null);
  }

  @Override
  public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long from) {
    return FutureConverters.asScala(
        life.readable().thenApply(open -> (long) life.store().stored().size()));
  }

  private Stored stored(PersistentRepr event) {
    Object payload = untagged(event);
    var serializer = serialization.findSerializerFor(payload);
    return new Stored(
        event.sequenceNr(),
        serializer.identifier(),
        Serializers.manifestFor(serializer, payload),
        serializer.toBinary(payload));
  }

  private static Object untagged(PersistentRepr event) {
    return event.payload() instanceof Tagged tagged ? tagged.payload() : event.payload();
  }

  private PersistentRepr replayed(String persistenceId, Stored one) {
    Object payload = serialization.deserialize(one.bytes(), one.serializer(), one.manifest()).get();
    return PersistentRepr.apply(payload, one.sequenceNr(), persistenceId, "", false, null, "");
  }
}
