package dev.colony.journal;

import dev.colony.journal.JournalException.DamagedLogException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** The same with other entries. */
  LogView with(List<Entry> others) {
    return new LogView(last, deleted, lastWriter, newest, others, lost, decision);
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

  /**
   * Where logs ended when their snapshots were read: a recovery asks for the one right behind the
   * other, so that the first reading tells both. Each is given out once, and not after something
   * was appended from here; what others append it misses as any reading may that comes too early,
   * and then the recovery's first append is refused. Of more than {@value #MOST} the oldest go, and
   * are read again. Thread-safe.
   */
  static final class Glimpses {

    private static final int MOST = 1_000;

    private final Map<String, Glimpse> begun = new LinkedHashMap<>();

    /** One reading of a snapshot. */
    static final class Glimpse {

      private volatile LogView view;

      void show(LogView seen) {
        view = seen;
      }
    }

    /** To be called before the reading. */
    synchronized Glimpse begin(String persistenceId) {
      Glimpse glimpse = new Glimpse();
      begun.remove(persistenceId);
      begun.put(persistenceId, glimpse);
      if (begun.size() > MOST) {
        begun.remove(begun.keySet().iterator().next());
      }
      return glimpse;
    }

    synchronized Optional<LogView> take(String persistenceId) {
      return Optional.ofNullable(begun.remove(persistenceId))
          .flatMap(glimpse -> Optional.ofNullable(glimpse.view));
    }

    /** Something is appended to the log. */
    synchronized void forget(String persistenceId) {
      begun.remove(persistenceId);
    }
  }
}
