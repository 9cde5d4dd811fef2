package dev.colony.journal;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * Which Redis keys belong to a persistence id. All keys of a slot share a hash tag, so that one
 * script may touch a log, its meta hash and the slot's index, on Redis Cluster too. The slot of a
 * persistence id never changes: CRC-32 of its UTF-8 bytes modulo the number of slots.
 */
record JournalKeys(int slots) {

  static final String LAYOUT = "colony:journal:layout";

  int slot(String persistenceId) {
    CRC32 crc = new CRC32();
    crc.update(persistenceId.getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % slots);
  }

  /** The stream of events. */
  String events(int slot, String persistenceId) {
    return tag(slot) + "e:" + persistenceId;
  }

  /** The hash of last, deleted and writer. */
  String meta(int slot, String persistenceId) {
    return tag(slot) + "m:" + persistenceId;
  }

  /** The set of persistence ids with work outstanding. */
  String outstanding(int slot) {
    return tag(slot) + "outstanding";
  }

  /** The set of persistence ids that have lost events of which an operator is to decide. */
  String lost(int slot) {
    return tag(slot) + "lost";
  }

  /** The hash of the nodes' ticks, of which one is used for each server. */
  String ticks(int slot) {
    return tag(slot) + "ticks";
  }

  /** The sorted set of snapshots by sequence number. */
  String snapshotIndex(String persistenceId) {
    return tag(slot(persistenceId)) + "si:" + persistenceId;
  }

  /** The hash of snapshots. */
  String snapshots(String persistenceId) {
    return tag(slot(persistenceId)) + "s:" + persistenceId;
  }

  private static String tag(int slot) {
    return "colony:{j-" + slot + "}:";
  }
}
