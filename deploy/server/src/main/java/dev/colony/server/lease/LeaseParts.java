package dev.colony.server.lease;

import dev.colony.blackboard.redis.RedisConnections;
import java.util.function.Consumer;
import org.apache.pekko.actor.setup.Setup;

/**
 * What a lease in Redis needs of its node. It travels in the actor system's setup, since Pekko
 * makes leases itself, by the name of their class.
 */
public final class LeaseParts extends Setup {

  private final RedisConnections redis;
  private final Consumer<LeaseOutcome> listener;

  /**
   * Looks at once whether the Redis user may use leases; blocks for a round trip.
   *
   * @param redis stays the caller's
   * @param listener told what becomes of the lease, by threads that must not be held up
   * @throws dev.colony.blackboard.BlackboardException naming what the user may not run
   */
  public LeaseParts(RedisConnections redis, Consumer<LeaseOutcome> listener) {
    LeaseStore.checkPermissions(redis);
    this.redis = redis;
    this.listener = listener;
  }

  RedisConnections redis() {
    return redis;
  }

  Consumer<LeaseOutcome> listener() {
    return listener;
  }
}
