package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.lifecycle.JsonSize;
import java.time.Duration;
import java.util.regex.Pattern;

/** The settings under {@code colony.agent.action}; reference.conf says what each means. */
public record DispatchSettings(
    Duration timeout,
    Duration grace,
    int maxAbandoned,
    Computing computing,
    Retry retry,
    int maxParameterBytes,
    int inlineOutputBytes,
    int maxOutputBytes,
    int previewChars,
    Duration keep,
    Duration controlAfter) {

  /** Actions that compute for long. */
  public record Computing(int threads, int queue, int maxAbandoned) {}

  /** The pause between two attempts. */
  public record Retry(Duration shortest, Duration longest) {}

  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;

  private static final Pattern EVENT = Pattern.compile("[A-Za-z0-9._~-]{1,64}");

  /**
   * Refuses what cannot be an event of a run.
   *
   * @throws IllegalArgumentException which says why
   */
  public void checkEvent(String name, JsonNode data) {
    if (!EVENT.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "an event's name is 1 to 64 characters of A-Z a-z 0-9 . _ ~ -, not: " + name);
    }
    bounded("the event " + name, data, inlineOutputBytes);
  }

  /** Refuses what is no JSON that can be stored, or is larger than it may be. */
  static void bounded(String what, JsonNode value, int mostBytes) {
    ValueRules.check(what, value);
    if (JsonSize.exceeds(value, mostBytes)) {
      throw new IllegalArgumentException(what + " is larger than " + mostBytes + " bytes");
    }
  }

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static DispatchSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.action");
    int inline = read.bytes("inline-output", 256, MIB);
    Duration shortest = read.duration("retry.shortest", MILLI, HOUR);
    return new DispatchSettings(
        read.duration("timeout", MILLI, DAY),
        read.duration("grace", Duration.ZERO, MINUTE),
        read.integer("max-abandoned", 0, 100_000),
        new Computing(
            read.integer("computing.threads", 1, 1_000),
            read.integer("computing.queue", 0, 100_000),
            read.integer("computing.max-abandoned", 0, 1_000)),
        new Retry(shortest, read.duration("retry.longest", shortest, HOUR)),
        read.bytes("max-parameters", KIB, 64 * MIB),
        inline,
        read.bytes("max-output", inline, 64 * MIB),
        read.integer("preview", 0, inline / 4),
        read.duration("keep", MINUTE, Duration.ofDays(365)),
        read.duration("control-after", MILLI, HOUR));
  }
}
