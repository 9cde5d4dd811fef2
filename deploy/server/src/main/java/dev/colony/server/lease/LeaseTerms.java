package dev.colony.server.lease;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Who keeps the lease, and the times of one in Redis; {@code reference.conf} says what each does.
 *
 * @param heartbeatTimeout for how long it is held without being renewed
 * @param heartbeatInterval between two renewals
 * @param operationTimeout for how long Redis may leave a node without an answer
 * @param releaseAfter for how long it is held after the last decision by it
 */
public record LeaseTerms(
    Provider provider,
    Duration heartbeatTimeout,
    Duration heartbeatInterval,
    Duration operationTimeout,
    Duration releaseAfter) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.node.lease";

  private static final String STABLE_AFTER = "pekko.cluster.split-brain-resolver.stable-after";
  private static final String PAUSE = "pekko.cluster.failure-detector.acceptable-heartbeat-pause";
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** Who keeps the lease. */
  public enum Provider {
    REDIS,
    KUBERNETES
  }

  /**
   * Reads the settings under {@link #PATH}.
   *
   * @throws ConfigException naming the setting, its value and what is allowed
   */
  public static LeaseTerms fromConfig(Config config) {
    SettingsReader lease = SettingsReader.of(config, PATH);
    LeaseTerms terms =
        new LeaseTerms(
            provider(lease.config().getString("provider")),
            lease.duration("heartbeat-timeout", SHORTEST, LONGEST),
            lease.duration("heartbeat-interval", SHORTEST.dividedBy(2), LONGEST),
            lease.duration("operation-timeout", SHORTEST, LONGEST),
            lease.duration("release-after", SHORTEST, LONGEST));
    if (terms.heartbeatInterval.multipliedBy(2).compareTo(terms.heartbeatTimeout) > 0) {
      throw bad(
          "heartbeat-interval",
          terms.heartbeatInterval,
          "at most half of heartbeat-timeout (" + terms.heartbeatTimeout + ")");
    }
    Duration undecided = config.getDuration(PAUSE).plus(config.getDuration(STABLE_AFTER));
    if (terms.provider == Provider.REDIS && terms.heartbeatTimeout.compareTo(undecided) >= 0) {
      throw bad(
          "heartbeat-timeout",
          terms.heartbeatTimeout,
          "less than %s and %s together (%s), or who outlives its holder finds it held"
              .formatted(PAUSE, STABLE_AFTER, undecided));
    }
    return terms;
  }

  private static Provider provider(String name) {
    return Arrays.stream(Provider.values())
        .filter(known -> word(known).equals(name))
        .findFirst()
        .orElseThrow(() -> bad("provider", '"' + name + '"', allowed()));
  }

  private static String allowed() {
    return Arrays.stream(Provider.values())
        .map(LeaseTerms::word)
        .collect(Collectors.joining(" or "));
  }

  private static String word(Provider provider) {
    return provider.name().toLowerCase(Locale.ROOT);
  }

  private static ConfigException bad(String key, Object value, String allowed) {
    return new ConfigException.BadValue(
        PATH + "." + key, "is " + value + ", but must be " + allowed);
  }
}
