package dev.colony.vcm.table;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;

/**
 * How the page table works: what of it are keys is described in {@code reference.conf}.
 *
 * @param debounce how long changes of a replica's residency are gathered before they are published
 * @param usesDebounce the same for readers, loads and last uses, which change with each call
 * @param retryDelay before a failed publication or subscription is tried again
 * @param refresh how often a node compares its copy with what is stored, and stores again what it
 *     has reported and is not there
 * @param maxPagesPerReplica a replica that reports more resident pages is refused
 * @param maxUses pages whose last use a node tells of, about 60 bytes each
 * @param maxEntries how many replicas and how many groups a node reads at most when it starts
 * @param callsInFlight group assignments being written at once
 * @param departedAfter how long a node may be no member of the cluster before its replica is taken
 *     out of the table
 */
public record TableSettings(
    Duration debounce,
    Duration usesDebounce,
    Duration retryDelay,
    Duration refresh,
    int maxPagesPerReplica,
    int maxUses,
    int maxEntries,
    int callsInFlight,
    Duration departedAfter,
    LeaseBounds leases) {

  private static final Duration USES_DEBOUNCE = Duration.ofSeconds(1);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
  private static final Duration REFRESH = Duration.ofSeconds(30);
  private static final int MAX_PAGES_PER_REPLICA = 10_000;
  private static final int MAX_USES = 1_000;
  private static final int MAX_ENTRIES = 200_000;
  private static final int CALLS_IN_FLIGHT = 32;
  private static final Duration DEPARTED_AFTER = Duration.ofSeconds(10);

  @Section("colony.vcm.table")
  private record Keys(@Range(min = "1 ms", max = "1 minute") Duration debounce) {}

  public static TableSettings fromConfig(Config config) {
    return new TableSettings(
        Settings.read(Keys.class, config).debounce,
        USES_DEBOUNCE,
        RETRY_DELAY,
        REFRESH,
        MAX_PAGES_PER_REPLICA,
        MAX_USES,
        MAX_ENTRIES,
        CALLS_IN_FLIGHT,
        DEPARTED_AFTER,
        LeaseBounds.USUAL);
  }

  /**
   * What a holder may lock and ask for.
   *
   * @param locks pages that one holder may have locked
   * @param requests pages that one holder may ask for
   * @param longest that a lock or a request holds without being extended
   */
  public record LeaseBounds(int locks, int requests, Duration longest) {

    /** Those of a node. */
    public static final LeaseBounds USUAL = new LeaseBounds(32, 64, Duration.ofHours(1));
  }
}
