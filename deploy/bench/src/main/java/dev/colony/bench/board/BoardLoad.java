package dev.colony.bench.board;

import dev.colony.blackboard.server.Fsync;

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
public record BoardLoad(int clients, int ops, int valueBytes, int keys, int scopes, Fsync fsync) {

  private static final int ROUNDS = 4;

  BoardLoad withOps(int newOps) {
    return new BoardLoad(clients, newOps, valueBytes, keys, scopes, fsync);
  }

  BoardLoad withFsync(Fsync newFsync) {
    return new BoardLoad(clients, ops, valueBytes, keys, scopes, newFsync);
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
