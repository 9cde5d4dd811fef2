package dev.colony.client.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.agent.http}; reference.conf says what each means.
 *
 * @param giveUp how long an outage is waited out where the caller does not wait for ever
 */
public record HttpClientSettings(
    Duration connectTimeout,
    Duration requestTimeout,
    Duration longPoll,
    Duration leastPause,
    Duration mostPause,
    Duration giveUp,
    Duration silence,
    int maxEventBytes) {

  /**
   * Reads and checks them.
   *
   * @throws ConfigException naming the path, the value and the range
   */
  public static HttpClientSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.http");
    HttpClientSettings settings =
        new HttpClientSettings(
            read.duration("connect-timeout", Duration.ofMillis(10), Duration.ofMinutes(5)),
            read.duration("request-timeout", Duration.ofMillis(100), Duration.ofMinutes(10)),
            read.duration("long-poll", Duration.ofSeconds(1), Duration.ofSeconds(30)),
            read.duration("pause.least", Duration.ofMillis(1), Duration.ofMinutes(1)),
            read.duration("pause.most", Duration.ofMillis(1), Duration.ofMinutes(10)),
            read.duration("give-up", Duration.ZERO, Duration.ofHours(24)),
            read.duration("silence", Duration.ofMillis(100), Duration.ofHours(1)),
            read.bytes("max-event", 1024, 1 << 30));
    if (settings.mostPause.compareTo(settings.leastPause) < 0) {
      throw new ConfigException.BadValue(
          "colony.agent.http.pause.most",
          "is " + settings.mostPause + ", but must be pause.least or more");
    }
    return settings;
  }

  /**
   * How long to wait before an attempt: more after each that failed, at random, so that the clients
   * of a node that left do not come back all at once.
   *
   * <p>Source: Brooker, "Exponential Backoff and Jitter" (2015), full jitter above the least pause.
   *
   * @param failed attempts before, from 1
   * @param random from 0 to 1
   */
  Duration pause(int failed, double random) {
    double grown = leastPause.toNanos() * Math.pow(2, failed);
    double span = Math.min(grown, mostPause.toNanos()) - leastPause.toNanos();
    return leastPause.plusNanos((long) (Math.max(0, span) * random));
  }
}
