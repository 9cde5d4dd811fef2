package dev.colony.client.child;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.agent.children}; reference.conf says what each means.
 *
 * @param max children of one agent that have not ended
 * @param maxDepth of the tree; 0 where no agent may spawn
 * @param maxTree agents beneath one root that have not ended
 * @param poll between two looks at the states of awaited children
 */
public record ChildrenSettings(int max, int maxDepth, int maxTree, Duration poll) {

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static ChildrenSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.children");
    return new ChildrenSettings(
        read.integer("max", 0, 10_000),
        read.integer("max-depth", 0, 100),
        read.integer("max-tree", 0, 1_000_000),
        read.duration("poll", Duration.ofMillis(10), Duration.ofHours(1)));
  }
}
