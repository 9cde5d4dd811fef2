package dev.colony.replica;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;

/** Settings of the embedded replica; {@code reference.conf} says what each does. */
@Section(EmbeddedReplicaSettings.PATH)
public record EmbeddedReplicaSettings(
    String host,
    @Range(min = "0", max = "65535") int port,
    @Range(min = "1", max = "16777216") int capacityBlocks,
    @Range(min = "64", max = "2147483647") int contextTokens,
    @Range(min = "1", max = "4096") int maxRunning,
    @Range(min = "0", max = "65536") int maxWaiting,
    Time time,
    KvEvents kvEvents,
    Faults faults) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.embedded";

  /** Tokens of a block of the cache. */
  public static final int BLOCK_TOKENS = 16;

  /**
   * How long the engine takes.
   *
   * @param factor of the times of its model; 0 takes none
   */
  public record Time(@Range(min = "0", max = "1000") double factor) {}

  /**
   * Events of the cache over ZeroMQ.
   *
   * @param port of the events; that of their replay is the next one. 0 takes any two
   */
  public record KvEvents(boolean enabled, @Range(min = "0", max = "65534") int port) {}

  /**
   * What goes wrong on purpose.
   *
   * @param controlled whether it is told, set and ended over HTTP
   */
  public record Faults(boolean controlled) {}

  public EmbeddedReplicaSettings {
    if (host.isBlank()) {
      throw new IllegalArgumentException("host is blank, but must be an address");
    }
    if (contextTokens > (long) BLOCK_TOKENS * capacityBlocks) {
      throw new IllegalArgumentException(
          "context-tokens is %d, but must be at most %d * capacity-blocks = %d"
              .formatted(contextTokens, BLOCK_TOKENS, (long) BLOCK_TOKENS * capacityBlocks));
    }
  }

  public static EmbeddedReplicaSettings fromConfig(Config config) {
    return Settings.read(EmbeddedReplicaSettings.class, config);
  }

  /** How many tokens the cache holds. */
  public long cacheTokens() {
    return (long) BLOCK_TOKENS * capacityBlocks;
  }
}
