package dev.colony.deploy.bench.board;

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

  BoardLoad withOps(int newOps) {
    return new BoardLoad(clients, newOps, valueBytes, keys, scopes, fsync);
  }

  BoardLoad withFsync(Fsync newFsync) {
    return new BoardLoad(clients, ops, valueBytes, keys, scopes, newFsync);
  }
}
