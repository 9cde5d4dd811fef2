package dev.colony.blackboard.fault;

import dev.colony.blackboard.redis.RedisDoor;

/** A server that loses what it acknowledged last, as a setting weaker than ours lets it. */
interface LostTail extends AutoCloseable {

  /** Leads to the server, to whichever is in its place too. */
  RedisDoor door();

  /** What is acknowledged after this returned will be lost. */
  void keepUntilHere();

  /** The server is gone and comes back, or another in its place, without the tail. */
  void lose();

  @Override
  void close();
}
