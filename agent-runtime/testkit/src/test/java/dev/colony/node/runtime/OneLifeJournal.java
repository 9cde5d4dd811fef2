package dev.colony.node.runtime;

import dev.colony.core.lifecycle.AgentEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializers;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A journal in which every agent has lived the life of one, so that it takes no memory for any of
 * them. What {@link #MODEL} writes is kept in its serialized form until {@link #close}; from then
 * on each agent, whose name must be as long, recovers from that with its own name in the place of
 * the model's, and what is written is acknowledged and let go of.
 */
public final class OneLifeJournal extends AsyncWriteJournal {

  static final String CONFIG =
      """
      pekko.persistence.journal.plugin = test.one-life
      pekko.persistence.snapshot-store.plugin = test.no-snapshots
      test.one-life {
        class = "dev.colony.node.runtime.OneLifeJournal"
        plugin-dispatcher = "pekko.actor.default-dispatcher"
        write-response-global-order = off
        replay-filter.mode = off
      }
      test.no-snapshots {
        class = "dev.colony.testkit.MemoryJournal$NoSnapshots"
        plugin-dispatcher = "pekko.actor.default-dispatcher"
      }
      """;

  /** The persistence id of the agent whose life it is. */
  static final String MODEL = "idle/one/agent-000000";

  private static final List<Kept> LIFE = Collections.synchronizedList(new ArrayList<>());
  private static final AtomicInteger PUBLISHED = new AtomicInteger();
  private static volatile boolean closed;

  /** An event in its serialized form; every byte of it a character. */
  private record Kept(String text, int serializer, String manifest) {}

  private final Serialization serialization = SerializationExtension.get(context().system());

  /** The model's life ends. */
  static void close() {
    closed = true;
  }

  /** How many events a life has. */
  static int events() {
    return LIFE.size();
  }

  /** How many runs have ended to the last, in this process. */
  static int published() {
    return PUBLISHED.get();
  }

  @Override
  public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(Iterable<AtomicWrite> writes) {
    for (AtomicWrite write : writes) {
      for (PersistentRepr event : CollectionConverters.asJava(write.payload())) {
        Object said = event.payload() instanceof Tagged tagged ? tagged.payload() : event.payload();
        if (!closed && event.persistenceId().equals(MODEL)) {
          LIFE.add(kept(said));
        }
        if (said instanceof AgentEvent.ResultPublished) {
          PUBLISHED.incrementAndGet();
        }
      }
    }
    return Future.successful(Collections.emptyList());
  }

  @Override
  public Future<Void> doAsyncDeleteMessagesTo(String persistenceId, long toSequenceNr) {
    return Future.successful(null);
  }

  @Override
  public Future<Void> doAsyncReplayMessages(
      String persistenceId, long from, long to, long max, Consumer<PersistentRepr> replay) {
    if (closed) {
      for (int at = 0; at < LIFE.size(); at++) {
        replay.accept(
            PersistentRepr.apply(
                of(persistenceId, LIFE.get(at)), at + 1, persistenceId, "", false, null, ""));
      }
    }
    return Future.successful(null);
  }

  @Override
  public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long from) {
    return Future.successful(closed ? (long) LIFE.size() : 0L);
  }

  private Kept kept(Object event) {
    var serializer = serialization.findSerializerFor(event);
    return new Kept(
        new String(serialization.serialize(event).get(), StandardCharsets.ISO_8859_1),
        serializer.identifier(),
        Serializers.manifestFor(serializer, event));
  }

  private Object of(String persistenceId, Kept event) {
    String name = persistenceId.substring(persistenceId.lastIndexOf('/') + 1);
    String model = MODEL.substring(MODEL.lastIndexOf('/') + 1);
    byte[] own = event.text().replace(model, name).getBytes(StandardCharsets.ISO_8859_1);
    return serialization.deserialize(own, event.serializer(), event.manifest()).get();
  }
}
