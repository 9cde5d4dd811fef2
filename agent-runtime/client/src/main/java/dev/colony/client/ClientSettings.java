package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import dev.colony.agent.RunOptions;
import dev.colony.blackboard.settings.SettingsReader;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.retry.Backoff;
import dev.colony.schema.JsonValues;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The settings under {@code colony.agent.client}; reference.conf says what each means. */
public record ClientSettings(
    int maxInputBytes,
    Duration poll,
    Duration keepSignals,
    Backoff full,
    Duration giveUp,
    int heldParts) {

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static ClientSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.client");
    Duration shortest =
        read.duration("full-inbox.shortest", Duration.ofMillis(1), Duration.ofMinutes(1));
    return new ClientSettings(
        read.bytes("max-input", 1024, 64 * 1024 * 1024),
        read.duration("poll", Duration.ofMillis(10), Duration.ofHours(1)),
        read.duration("keep-signals", Duration.ofMillis(100), Duration.ofDays(36_500)),
        new Backoff(
            shortest, read.duration("full-inbox.longest", shortest, Duration.ofMinutes(10))),
        read.duration("full-inbox.give-up", Duration.ZERO, Duration.ofHours(24)),
        read.integer("held-parts", 1_000, 10_000_000));
  }

  /**
   * The input of a run as JSON.
   *
   * @throws IllegalArgumentException if it cannot be written as JSON, is larger than it may be or
   *     breaks one of the {@link ValueRules}
   */
  public JsonNode input(Object value) {
    JsonNode input = value instanceof JsonNode json ? json : JsonValues.toJson(value);
    ValueRules.check("the input", input);
    int size = input.toString().getBytes(StandardCharsets.UTF_8).length;
    if (size > maxInputBytes) {
      throw new IllegalArgumentException(
          "the input is "
              + size
              + " bytes, more than "
              + maxInputBytes
              + ": keep it on the blackboard and name it");
    }
    return input;
  }

  /**
   * How long a run is asked for again that is not stored yet: at most as long as the caller waits
   * for it.
   *
   * @param usual where the options do not say
   */
  public static Duration patience(RunOptions options, Duration usual) {
    Duration longest = options.giveUp().orElse(usual);
    return options.timeout().filter(shorter -> shorter.compareTo(longest) < 0).orElse(longest);
  }
}
