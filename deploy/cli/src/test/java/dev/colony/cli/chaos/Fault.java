package dev.colony.cli.chaos;

import java.time.Duration;

/**
 * Something that is done to the cluster.
 *
 * @param node the victim, counted from 0; 0 where it is Redis
 * @param after how long to wait after the fault before it was over
 * @param lasts until the victim is started, thawed or let through again
 */
record Fault(Kind kind, int node, Duration after, Duration lasts) {

  enum Kind {
    /** SIGKILL to a node. */
    KILL,
    /** SIGSTOP to a node, for longer than the failure detector waits, then SIGCONT. */
    FREEZE,
    /** SIGTERM to a node. */
    TERMINATE,
    /** All nodes' connections to Redis are broken, and none comes through. */
    CUT_REDIS,
    /** SIGKILL to Redis. */
    KILL_REDIS,
    /** Redis comes back without what it wrote last, while all nodes are up; they restore it. */
    ROLL_BACK_REDIS
  }

  @Override
  public String toString() {
    String victim =
        switch (kind) {
          case KILL, FREEZE, TERMINATE -> " node-" + (node + 1);
          case CUT_REDIS, KILL_REDIS, ROLL_BACK_REDIS -> "";
        };
    return "%s%s for %.1f s".formatted(kind, victim, lasts.toMillis() / 1e3);
  }
}
