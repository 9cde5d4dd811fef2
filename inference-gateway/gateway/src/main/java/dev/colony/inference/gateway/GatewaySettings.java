package dev.colony.inference.gateway;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of retries and of what waits; {@code reference.conf} says what each does.
 *
 * @param admission which call goes next; under a path of its own
 * @param bounds what no operator sets
 */
public record GatewaySettings(Limits limits, AdmissionSettings admission, Bounds bounds) {

  /** What an operator may set. */
  @Section("colony.inference.gateway")
  public record Limits(
      @Range(min = "1", max = "65536") int maxConcurrentPerReplica,
      @Range(min = "1", max = "100") int maxAttempts,
      @Range(min = "1 ms", max = "6 h") Duration attemptTimeout,
      @Range(min = "0", max = "10000") int overloadRetries,
      Optional<String> tenantSaltKey) {

    public Limits {
      if (tenantSaltKey.map(key -> key.length() < TenantSalt.SHORTEST_KEY).orElse(false)) {
        throw new IllegalArgumentException(
            "tenant-salt-key has to have at least " + TenantSalt.SHORTEST_KEY + " characters");
      }
    }
  }

  /**
   * How long failures are waited out, and how fast caches are told what is wanted.
   *
   * @param backoff before a replica that failed is tried again
   * @param overloaded before one that has answered that it is overloaded
   * @param touchesPerSecond at each replica whose cache is told by touches
   * @param waitingOrders for each replica; beyond it orders are left out
   * @param lockTouchInterval how long a locked page may go unused before it is touched: less than a
   *     busy server's cache takes to be filled anew
   */
  public record Bounds(
      ReplicaBackoff backoff,
      ReplicaBackoff overloaded,
      double touchesPerSecond,
      int waitingOrders,
      Duration lockTouchInterval) {

    public static final Bounds USUAL =
        new Bounds(
            new ReplicaBackoff(Duration.ofMillis(100), Duration.ofSeconds(5)),
            new ReplicaBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30)),
            2,
            256,
            Duration.ofSeconds(10));

    /** The same with both backoffs replaced. */
    public Bounds waiting(Duration base, Duration max) {
      ReplicaBackoff both = new ReplicaBackoff(base, max);
      return new Bounds(both, both, touchesPerSecond, waitingOrders, lockTouchInterval);
    }
  }

  /** Reads the settings, and those of admission. */
  public static GatewaySettings fromConfig(Config config) {
    return new GatewaySettings(
        Settings.read(Limits.class, config), AdmissionSettings.fromConfig(config), Bounds.USUAL);
  }

  /** The same with other bounds, for tests. */
  public GatewaySettings within(Bounds other) {
    return new GatewaySettings(limits, admission, other);
  }

  /**
   * How long to wait before a replica that failed is tried again: exponential with full jitter, as
   * in Brooker, "Exponential Backoff And Jitter" (AWS, 2015), and never less than the server asked
   * for.
   *
   * @param base the longest wait after the first failure
   * @param max the longest wait of all that the server has not asked for
   */
  public record ReplicaBackoff(Duration base, Duration max) {

    private static final int MOST_DOUBLINGS = 30;

    /**
     * @param failures at least 1
     * @param random from 0 to 1
     */
    Duration delay(int failures, Optional<Duration> asked, double random) {
      long grown = base.toNanos() << Math.min(failures - 1, MOST_DOUBLINGS);
      long bound = grown <= 0 ? max.toNanos() : grown;
      long capped = Math.min(bound, max.toNanos());
      Duration jittered = Duration.ofNanos((long) (capped * random));
      return asked.filter(a -> a.compareTo(jittered) > 0).orElse(jittered);
    }
  }
}
