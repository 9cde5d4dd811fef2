package dev.colony.journal.pekko;

import dev.colony.journal.AppendCall;
import dev.colony.journal.EventFrame;
import dev.colony.journal.JournalException;
import dev.colony.journal.JournalReader.PayloadReader;
import dev.colony.journal.OutstandingIndex;
import dev.colony.journal.ReplayCursor;
import java.util.Optional;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.Serializer;
import org.apache.pekko.serialization.Serializers;
import scala.Option;

/** Translates between Pekko's events and stored frames. Thread-safe. */
final class FrameSerialization {

  private final Serialization serialization;
  private final String bound;
  private final int maxBytes;
  private final PayloadReader payloads;

  /** Frames longer than {@code maxBytes} are refused, naming what bounds them. */
  FrameSerialization(Serialization serialization, String bound, int maxBytes) {
    this.serialization = serialization;
    this.bound = bound;
    this.maxBytes = maxBytes;
    this.payloads =
        (serializer, manifest, payload) ->
            serialization.deserialize(payload, serializer, manifest).get();
  }

  PayloadReader payloads() {
    return payloads;
  }

  /**
   * The bytes to store.
   *
   * @throws Exception if the event cannot be stored, which rejects it: no serializer, too long, or
   *     with metadata, which this journal does not keep
   */
  byte[] encode(PersistentRepr event) throws Exception {
    refuseMetadata(event.persistenceId(), event.metadata());
    return encode(
        event.persistenceId(),
        event.sequenceNr(),
        event.writerUuid(),
        event.timestamp(),
        event.manifest(),
        payload(event));
  }

  /**
   * The bytes of a snapshot to store.
   *
   * @throws Exception if it cannot be stored, as for an event
   */
  byte[] encodeSnapshot(SnapshotMetadata metadata, Object snapshot) throws Exception {
    refuseMetadata(metadata.persistenceId(), metadata.metadata());
    return encode(
        metadata.persistenceId(), metadata.sequenceNr(), "", metadata.timestamp(), "", snapshot);
  }

  /** The marker that stands in the place of a rejected event. */
  byte[] gap(PersistentRepr event, Exception reason) {
    return new EventFrame.Gap(event.writerUuid(), event.timestamp(), reason.getClass().getName())
        .encode();
  }

  /** What the event's tags do to the index of outstanding work. */
  Optional<AppendCall.IndexChange> indexChange(PersistentRepr event) {
    if (!(event.payload() instanceof Tagged tagged)) {
      return Optional.empty();
    }
    if (tagged.tags().contains(OutstandingIndex.OUTSTANDING)) {
      return Optional.of(AppendCall.IndexChange.OUTSTANDING);
    }
    return tagged.tags().contains(OutstandingIndex.SETTLED)
        ? Optional.of(AppendCall.IndexChange.SETTLED)
        : Optional.empty();
  }

  /**
   * The event again.
   *
   * @throws JournalException if its serializer cannot read it
   */
  PersistentRepr decode(String persistenceId, ReplayCursor.Replayed replayed) {
    EventFrame.Event event = replayed.event();
    return PersistentRepr.apply(
            payloads.read(persistenceId, replayed.sequenceNr(), event),
            replayed.sequenceNr(),
            persistenceId,
            event.adapterManifest(),
            false,
            ActorRef.noSender(),
            event.writer())
        .withTimestamp(event.timestampMillis());
  }

  private byte[] encode(
      String persistenceId,
      long sequenceNr,
      String writer,
      long timestampMillis,
      String adapterManifest,
      Object payload) {
    Serializer serializer = serialization.findSerializerFor(payload);
    byte[] frame =
        new EventFrame.Event(
                writer,
                timestampMillis,
                serializer.identifier(),
                Serializers.manifestFor(serializer, payload),
                adapterManifest,
                serialization.serialize(payload).get())
            .encode();
    if (frame.length > maxBytes) {
      throw new IllegalArgumentException(
          "%s at %d takes %d bytes, %s is %d"
              .formatted(persistenceId, sequenceNr, frame.length, bound, maxBytes));
    }
    return frame;
  }

  private static Object payload(PersistentRepr event) {
    return event.payload() instanceof Tagged tagged ? tagged.payload() : event.payload();
  }

  private static void refuseMetadata(String persistenceId, Option<Object> metadata) {
    if (metadata.isDefined()) {
      throw new IllegalArgumentException(
          persistenceId + " has replication metadata, which the journal does not keep");
    }
  }
}
