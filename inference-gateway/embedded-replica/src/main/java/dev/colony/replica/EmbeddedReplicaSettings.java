package dev.colony.replica;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import dev.colony.replica.Faults.Fault;
import dev.colony.replica.kv.Scheduler;
import dev.colony.replica.kv.TimeModel;
import java.time.Duration;

/**
 * Settings of the embedded replica; {@code reference.conf} says what each does.
 *
 * @param time how long steps of the engine take
 * @param weighAttention whether prompt tokens count in maxBatchedTokens as they do in time
 * @param reserveReplies whether calls begin only where their whole replies find room
 * @param faultsControlled whether faults are set over HTTP
 * @param fault what goes wrong on purpose from the start
 */
public record EmbeddedReplicaSettings(
    String host,
    int port,
    int blockTokens,
    int capacityBlocks,
    int contextTokens,
    int maxPages,
    TimeModel time,
    int maxBatchedTokens,
    boolean weighAttention,
    boolean reserveReplies,
    int streamInterval,
    int maxRunning,
    int maxWaiting,
    int maxFollowers,
    Duration pollHold,
    Duration coalesce,
    int maxRequestBytes,
    Duration requestTimeout,
    long tokenizerMemoTokens,
    long analysisMemoChars,
    KvEventSettings kvEvents,
    boolean faultsControlled,
    Fault fault) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.embedded";

  public EmbeddedReplicaSettings {
    if (host.isBlank()) {
      throw new IllegalArgumentException(PATH + ".host is blank, allowed is an address");
    }
    within(PATH + ".port", port, 0, 65535);
    within(PATH + ".block-tokens", blockTokens, 1, 4096);
    within(PATH + ".capacity-blocks", capacityBlocks, 1, 16_777_216);
    within(PATH + ".context-tokens", (long) contextTokens, 64, (long) blockTokens * capacityBlocks);
    within(PATH + ".max-pages", maxPages, 1, 10_000_000);
    within(PATH + ".max-running", maxRunning, 1, 4096);
    within(PATH + ".max-batched-tokens", maxBatchedTokens, maxRunning, 16_777_216);
    within(PATH + ".stream-interval", streamInterval, 1, 4096);
    within(PATH + ".max-waiting", maxWaiting, 0, 65536);
    within(PATH + ".max-followers", maxFollowers, 1, 65536);
    within(PATH + ".poll-hold", pollHold, Duration.ofMillis(1), Duration.ofMinutes(10));
    within(PATH + ".coalesce", coalesce, Duration.ZERO, Duration.ofSeconds(10));
    within(PATH + ".max-request-bytes", maxRequestBytes, 1024, 1 << 30);
    within(PATH + ".request-timeout", requestTimeout, Duration.ofMillis(1), Duration.ofHours(1));
    within(PATH + ".tokenizer-memo-tokens", tokenizerMemoTokens, 0, Long.MAX_VALUE);
    within(PATH + ".analysis-memo-chars", analysisMemoChars, 0, Long.MAX_VALUE);
  }

  /** Reads the settings under {@link #PATH}. */
  public static EmbeddedReplicaSettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    return new EmbeddedReplicaSettings(
        c.getString("host"),
        c.getInt("port"),
        c.getInt("block-tokens"),
        c.getInt("capacity-blocks"),
        c.getInt("context-tokens"),
        c.getInt("max-pages"),
        TimeModel.fromConfig(c.getConfig("time")),
        c.getInt("max-batched-tokens"),
        c.getBoolean("weigh-attention"),
        c.getBoolean("reserve-replies"),
        c.getInt("stream-interval"),
        c.getInt("max-running"),
        c.getInt("max-waiting"),
        c.getInt("max-followers"),
        c.getDuration("poll-hold"),
        c.getDuration("coalesce"),
        c.getInt("max-request-bytes"),
        c.getDuration("request-timeout"),
        c.getLong("tokenizer-memo-tokens"),
        c.getLong("analysis-memo-chars"),
        KvEventSettings.fromConfig(c.getConfig("kv-events")),
        c.getBoolean("faults.controlled"),
        Fault.fromConfig(c.getConfig("faults")));
  }

  /** What bounds a step of the engine. */
  Scheduler.Limits limits() {
    return new Scheduler.Limits(
        blockTokens,
        maxRunning,
        maxBatchedTokens,
        weighAttention ? time.attentionTokens() : 0,
        reserveReplies);
  }
}
