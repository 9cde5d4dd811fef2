package dev.colony.journal;

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
    };
  }
}
