package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import java.util.Arrays;
import java.util.Locale;

/**
 * How units are placed; the keys are described in {@code reference.conf}.
 *
 * <p>The constructor throws {@link IllegalArgumentException}, naming the path, the value and the
 * allowed range.
 *
 * @param imbalance load a node may hold, as a multiple of the average
 * @param rebalanceHysteresis load from which units are moved away, as a multiple of the average
 */
public record PlacementSettings(
    Policy policy,
    double imbalance,
    double rebalanceHysteresis,
    int rebalanceMoves,
    long randomSeed,
    FollowSettings follow) {

  private static final String PATH = "colony.vcm.placement.";

  /** The policies that can be chosen. */
  public enum Policy {
    AFFINITY,
    RANDOM
  }

  public PlacementSettings {
    SettingRange.check(PATH + "imbalance", imbalance, 1, 1000);
    SettingRange.check(PATH + "rebalance-hysteresis", rebalanceHysteresis, imbalance, 1000);
    SettingRange.check(PATH + "rebalance-moves", rebalanceMoves, 0, 1000);
  }

  public static PlacementSettings fromConfig(Config config) {
    return new PlacementSettings(
        policy(config.getString(PATH + "policy")),
        config.getDouble(PATH + "imbalance"),
        config.getDouble(PATH + "rebalance-hysteresis"),
        config.getInt(PATH + "rebalance-moves"),
        config.getLong(PATH + "random-seed"),
        FollowSettings.fromConfig(config));
  }

  private static Policy policy(String name) {
    return Arrays.stream(Policy.values())
        .filter(policy -> policy.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                PATH + "policy is " + name + ", must be affinity or random"));
  }
}
