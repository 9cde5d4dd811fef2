package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.server.ServerSettings.Fsync;

/**
 * What clients are to do.
 *
 * @param clients each has one write under way at full load
 * @param ops writes in all, in each phase
 * @param valueBytes of each write, as JSON
 * @param keys over how many of each scope the writes are spread
 * @param scopes over how many the writes are spread, each with a subscriber to all its events
 * @param fsync when Redis brings a write to the disk
 */
record BoardLoad(int clients, int ops, int valueBytes, int keys, int scopes, Fsync fsync) {

  private static final int ROUNDS = 4;

  /** The same load of fewer writes, if it has more. */
  BoardLoad atMost(int most) {
    return new BoardLoad(clients, Math.min(ops, most), valueBytes, keys, scopes, fsync);
  }

  ObjectNode toJson() {
    return Report.object()
        .put("clients", clients)
        .put("ops", ops)
        .put("valueBytes", valueBytes)
        .put("keys", keys)
        .put("scopes", scopes)
        .put("fsync", fsync.word());
  }

  /** A part of the writes, from the number of the first one to that after the last one. */
  @FunctionalInterface
  interface Round {
    void run(int first, int end);
  }

  /**
   * Does something with a part of the writes after the other. What is compared takes turns in each
   * round, so that whatever else the machine does meets both.
   */
  void inRounds(Round round) {
    for (int i = 0; i < ROUNDS; i++) {
      round.run((int) ((long) ops * i / ROUNDS), (int) ((long) ops * (i + 1) / ROUNDS));
    }
  }
}
