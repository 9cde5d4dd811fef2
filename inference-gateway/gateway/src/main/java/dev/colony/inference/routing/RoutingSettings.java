package dev.colony.inference.routing;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import dev.colony.vcm.schedule.CostRouter;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.Router;
import dev.colony.vcm.schedule.ScheduleSettings;
import java.time.Duration;

/** Settings of the choice between replicas; {@code reference.conf} says what each does. */
public record RoutingSettings(
    double congestion,
    double maxCongestion,
    Duration queueAverage,
    long prefillTokensPerSecond,
    long attentionTokens,
    int observations,
    int blockCharacters,
    long cacheTokens,
    long maxCacheTokens,
    Duration reportInterval,
    Duration reportExpiry,
    Duration reach,
    double away) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.routing";

  public RoutingSettings {
    ratio(".congestion", congestion);
    ratio(".max-congestion", maxCongestion);
    ratio(".away", away);
    Duration least = Duration.ofMillis(1);
    Duration most = Duration.ofHours(1);
    within(PATH + ".queue-average", queueAverage, least, most);
    within(PATH + ".prefill-tokens-per-second", prefillTokensPerSecond, 1L, 100_000_000L);
    within(PATH + ".attention-tokens", attentionTokens, 1L, 1_000_000_000L);
    within(PATH + ".observations", observations, 8, 65536);
    within(PATH + ".block-characters", blockCharacters, 16, 65536);
    within(PATH + ".cache-tokens", cacheTokens, 1L, 1_000_000_000L);
    within(PATH + ".max-cache-tokens", maxCacheTokens, cacheTokens, 1_000_000_000L);
    within(PATH + ".report-interval", reportInterval, Duration.ofMillis(10), most);
    within(PATH + ".report-expiry", reportExpiry, reportInterval, most);
    within(PATH + ".reach", reach, Duration.ZERO, Duration.ofMinutes(1));
  }

  /** Reads the settings under {@link #PATH}. */
  public static RoutingSettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    return new RoutingSettings(
        c.getDouble("congestion"),
        c.getDouble("max-congestion"),
        c.getDuration("queue-average"),
        c.getLong("prefill-tokens-per-second"),
        c.getLong("attention-tokens"),
        c.getInt("observations"),
        c.getInt("block-characters"),
        c.getLong("cache-tokens"),
        c.getLong("max-cache-tokens"),
        c.getDuration("report-interval"),
        c.getDuration("report-expiry"),
        c.getDuration("reach"),
        c.getDouble("away"));
  }

  /** The rule by which replicas are chosen. */
  public Router router() {
    return CostRouter.chat(congestion, maxCongestion);
  }

  /** How the state of replicas is kept whose caches are counted in blocks of that many tokens. */
  public ScheduleSettings schedule(double blockTokens) {
    return new ScheduleSettings(
        new PrefillSpeed(prefillTokensPerSecond, attentionTokens),
        observations,
        seconds(queueAverage),
        seconds(reportExpiry),
        (int) Math.max(1, cacheTokens / blockTokens),
        (int) Math.max(1, maxCacheTokens / blockTokens));
  }

  /** Tokens of a block of text. */
  public double blockTokens() {
    return blockCharacters / PromptBlocks.TOKEN_CHARACTERS;
  }

  /** What a call to another node's replica takes longer than one to the own node's, in seconds. */
  public double reachSeconds() {
    return seconds(reach);
  }

  private static void ratio(String key, double value) {
    if (!(value >= 0 && value <= 100)) {
      throw new IllegalArgumentException(
          PATH + key + " = " + value + " is out of range, allowed is 0 to 100");
    }
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
