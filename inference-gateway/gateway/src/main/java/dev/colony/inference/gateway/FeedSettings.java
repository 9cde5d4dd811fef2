package dev.colony.inference.gateway;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import java.time.Duration;

/** Settings of the residency feed; {@code reference.conf} says what each does. */
public record FeedSettings(
    Duration pollTimeout,
    Duration retryDelay,
    Duration lostAfter,
    long estimatedCapacityTokens,
    Duration estimatedRecheck) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.feed";

  public FeedSettings {
    Duration least = Duration.ofMillis(1);
    Duration most = Duration.ofHours(1);
    within(PATH + ".poll-timeout", pollTimeout, least, most);
    within(PATH + ".retry-delay", retryDelay, least, most);
    within(PATH + ".lost-after", lostAfter, Duration.ZERO, most);
    within(PATH + ".estimated-capacity-tokens", estimatedCapacityTokens, 0L, Long.MAX_VALUE);
    within(PATH + ".estimated-recheck", estimatedRecheck, least, most);
  }

  /** Reads the settings under {@link #PATH}. */
  public static FeedSettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    return new FeedSettings(
        c.getDuration("poll-timeout"),
        c.getDuration("retry-delay"),
        c.getDuration("lost-after"),
        c.getLong("estimated-capacity-tokens"),
        c.getDuration("estimated-recheck"));
  }
}
