package dev.colony.journal;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * One consistent look at a log: what its meta hash says, its newest entry, and a batch of entries.
 *
 * @param last the highest sequence number ever stored, 0 for a log that never was
 * @param deleted the sequence number up to which entries were deleted, 0 for none
 * @param lastWriter who wrote last, empty for a log that never was
 * @param newest the sequence number of the newest entry still there, 0 for none
 * @param entries in order
 * @param lost how far the log once reached, if the store has lost the events since, else 0
 * @param decision what an operator has decided about events that were lost, until the next append
 */
record LogView(
    long last,
    long deleted,
    String lastWriter,
    long newest,
    List<Entry> entries,
    long lost,
    Optional<LostLogs.Decided> decision) {

  /** One stored entry, still as bytes. */
  record Entry(long sequenceNr, byte[] frame) {}

  /** Of how many parts a reply is that begins with one. */
  static final int PARTS = 7;

  /** Reads the reply of {@code read.lua}, or the beginning of that of {@code snapshot-load.lua}. */
  static LogView of(List<?> reply) {
    List<Entry> entries =
        ((List<?>) reply.get(4)).stream().map(entry -> entry((List<?>) entry)).toList();
    return new LogView(
        Long.parseLong(text(reply.get(0))),
        Long.parseLong(text(reply.get(1))),
        text(reply.get(2)),
        sequenceNr(reply.get(3)),
        entries,
        Long.parseLong(text(reply.get(5))),
        LostLogs.Decided.parse(text(reply.get(6))));
  }

  /**
   * This view, if its parts agree.
   *
   * @throws DamagedLogException if the meta hash and the stream tell different stories
   */
  LogView verified(String persistenceId) {
    boolean agree = newest == last || (newest == 0 && deleted == last);
    if (!agree) {
      throw new DamagedLogException(
          persistenceId,
          "its meta hash ends at %d (deleted to %d), its stream at %d"
              .formatted(last, deleted, newest));
    }
    return this;
  }

  /** What the store has lost behind the log's end, if an operator has still to decide about it. */
  Optional<LostLogs.Lost> lost(String persistenceId) {
    return lost == 0 ? Optional.empty() : Optional.of(new LostLogs.Lost(persistenceId, last, lost));
  }

  private static Entry entry(List<?> entry) {
    return new Entry(sequenceNr(entry.get(0)), (byte[]) ((List<?>) entry.get(1)).get(1));
  }

  /** Entry ids are {@code sequenceNr-0}. */
  private static long sequenceNr(Object entryId) {
    String id = text(entryId);
    return Long.parseLong(id, 0, id.indexOf('-'), 10);
  }

  private static String text(Object bulk) {
    return new String((byte[]) bulk, StandardCharsets.UTF_8);
  }
}
