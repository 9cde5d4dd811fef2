package dev.colony.client.http;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;

/**
 * How long calls of the API take at most, and how large events are.
 *
 * @param requestTimeout of an answer, beside what the server was asked to wait
 * @param longPoll how long the server is asked to hold a question for a result; what stands between
 *     the two must allow so long a silence
 * @param giveUp how long an outage is waited out where the caller does not wait for ever
 * @param silence after which a stream is taken for dead, more than twice the server's heartbeat
 */
record HttpBounds(
    Duration connectTimeout,
    Duration requestTimeout,
    Duration longPoll,
    Duration leastPause,
    Duration mostPause,
    Duration giveUp,
    Duration silence,
    int maxEventBytes) {

  /** What an operator may say of them; reference.conf says what it means. */
  @Section("colony.agent.http")
  record Operators(@Range(min = "0 s", max = "24 h") Duration giveUp) {}

  /**
   * The usual ones.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  static HttpBounds of(Config config) {
    return new HttpBounds(
        Duration.ofSeconds(5),
        Duration.ofSeconds(15),
        Duration.ofSeconds(20),
        Duration.ofMillis(100),
        Duration.ofSeconds(5),
        Settings.read(Operators.class, config).giveUp(),
        Duration.ofSeconds(45),
        16 << 20);
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
