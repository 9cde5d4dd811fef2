package dev.colony.inference.gateway;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import dev.colony.inference.admission.AdmissionSettings;
import java.time.Duration;

/**
 * Settings of retries and of what waits; {@code reference.conf} says what each does.
 *
 * @param admission which call goes next; under a path of its own
 */
public record GatewaySettings(
    AdmissionSettings admission,
    int maxConcurrentPerReplica,
    int maxAttempts,
    Duration attemptTimeout,
    Duration backoffBase,
    Duration backoffMax,
    int overloadRetries,
    int fallbackOverloadRetries,
    Duration overloadBackoffBase,
    Duration overloadBackoffMax,
    int sentPrompts,
    long sentPromptCharacters) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.gateway";

  public GatewaySettings {
    within(PATH + ".max-concurrent-per-replica", maxConcurrentPerReplica, 1, 65536);
    within(PATH + ".max-attempts", maxAttempts, 1, 100);
    within(PATH + ".attempt-timeout", attemptTimeout, Duration.ofMillis(1), Duration.ofHours(6));
    within(PATH + ".backoff-base", backoffBase, Duration.ofMillis(1), Duration.ofMinutes(1));
    within(PATH + ".backoff-max", backoffMax, backoffBase, Duration.ofMinutes(10));
    within(PATH + ".overload-retries", overloadRetries, 0, 10_000);
    within(PATH + ".fallback-overload-retries", fallbackOverloadRetries, 0, 10_000);
    within(
        PATH + ".overload-backoff-base",
        overloadBackoffBase,
        Duration.ofMillis(1),
        Duration.ofMinutes(1));
    within(
        PATH + ".overload-backoff-max",
        overloadBackoffMax,
        overloadBackoffBase,
        Duration.ofMinutes(10));
    within(PATH + ".sent-prompts", sentPrompts, 1, 1_000_000);
    within(PATH + ".sent-prompt-characters", sentPromptCharacters, 1, 1L << 40);
  }

  /** Reads the settings under {@link #PATH}, and those of admission. */
  public static GatewaySettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    return new GatewaySettings(
        AdmissionSettings.fromConfig(config),
        c.getInt("max-concurrent-per-replica"),
        c.getInt("max-attempts"),
        c.getDuration("attempt-timeout"),
        c.getDuration("backoff-base"),
        c.getDuration("backoff-max"),
        c.getInt("overload-retries"),
        c.getInt("fallback-overload-retries"),
        c.getDuration("overload-backoff-base"),
        c.getDuration("overload-backoff-max"),
        c.getInt("sent-prompts"),
        c.getLong("sent-prompt-characters"));
  }
}
