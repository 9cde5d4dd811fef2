package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import io.lettuce.core.SetArgs;

/**
 * What all who use the same data must agree on: how they are laid out, and in how many buckets. The
 * first client to come writes it into Redis.
 */
final class Layout {

  /** Goes up with every change of keys, frames or scripts that older programs cannot live with. */
  private static final String VERSION = "2";

  private Layout() {}

  /**
   * Blocks for a few round trips.
   *
   * @throws BlackboardException if the data are of another layout or another number of buckets
   */
  static void agree(RedisConnections connections, int buckets) {
    // The layout is said before the buckets, so that buckets alone are data of the time before.
    boolean old = get(connections, ScopeKeys.BUCKETS) != null;
    String layout =
        old ? get(connections, ScopeKeys.LAYOUT) : agreed(connections, ScopeKeys.LAYOUT, VERSION);
    if (!VERSION.equals(layout)) {
      throw new BlackboardException(
          Reason.LAYOUT,
          "the data at %s are of layout %s, but this program uses %s: run the version that wrote them, or take another Redis"
              .formatted(connections.address(), layout == null ? "1" : layout, VERSION));
    }
    String theirs = agreed(connections, ScopeKeys.BUCKETS, Integer.toString(buckets));
    if (!theirs.equals(Integer.toString(buckets))) {
      throw new BlackboardException(
          Reason.LAYOUT,
          "colony.blackboard.buckets is %d, but the data at %s are laid out for %s"
              .formatted(buckets, connections.address(), theirs));
    }
  }

  /** Writes only where no other has: a server whose memory is full can be opened, to delete. */
  private static String agreed(RedisConnections connections, String key, String mine) {
    String theirs = get(connections, key);
    if (theirs != null) {
      return theirs;
    }
    try {
      connections
          .commands()
          .set(key, mine.getBytes(US_ASCII), SetArgs.Builder.nx())
          .toCompletableFuture()
          .join();
    } catch (RuntimeException failure) {
      throw RedisFailure.of(failure);
    }
    return get(connections, key);
  }

  private static String get(RedisConnections connections, String key) {
    try {
      byte[] value = connections.commands().get(key).toCompletableFuture().join();
      return value == null ? null : new String(value, US_ASCII);
    } catch (RuntimeException failure) {
      throw RedisFailure.of(failure);
    }
  }
}
