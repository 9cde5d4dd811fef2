package dev.colony.vcm.table;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;

/**
 * Which unit a group goes to, and which node a unit: the key is described in {@code
 * reference.conf}.
 *
 * @param imbalance a node may hold at most this many times the average load of all nodes, whatever
 *     is resident there
 * @param rebalanceHysteresis a unit is moved away from a node that holds more than this many times
 *     the average load; at least the imbalance, so that nothing that was placed by rule is moved at
 *     once
 * @param rebalanceMoves units that one rebalancing round moves at most
 * @param randomSeed of the random policy
 * @param follow how a unit follows its pages
 */
public record PlacementSettings(
    Policy policy,
    double imbalance,
    double rebalanceHysteresis,
    int rebalanceMoves,
    long randomSeed,
    Follow follow) {

  /** The policies that can be chosen. */
  public enum Policy {
    AFFINITY,
    RANDOM
  }

  /**
   * How a unit follows its pages to another node.
   *
   * @param after how long its pages must have been there in every round
   * @param margin how much more of the unit's tokens that node must hold, as a share of all of them
   * @param moves units that may follow within the interval; each move costs the agents of the unit
   *     a recovery
   */
  public record Follow(Duration after, double margin, int moves, Duration interval) {

    public static final Follow USUAL =
        new Follow(Duration.ofSeconds(30), 0.5, 4, Duration.ofSeconds(30));
  }

  @Section("colony.vcm.placement")
  private record Keys(Policy policy) {}

  public PlacementSettings {
    if (rebalanceHysteresis < imbalance) {
      throw new IllegalArgumentException(
          "a hysteresis of %s is below the imbalance of %s"
              .formatted(rebalanceHysteresis, imbalance));
    }
  }

  /** A policy with the usual bounds. */
  public static PlacementSettings of(Policy policy, Follow follow) {
    return new PlacementSettings(policy, 2, 2.5, 2, 1, follow);
  }

  public static PlacementSettings fromConfig(Config config) {
    return of(Settings.read(Keys.class, config).policy, Follow.USUAL);
  }
}
