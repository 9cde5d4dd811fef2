package dev.colony.server.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.settings.SettingsReader;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.LeaseSettings;
import dev.colony.vcm.settings.StoreSettings;
import java.time.Duration;

/**
 * The settings under {@code colony.http}; reference.conf says what each means.
 *
 * @param port 0 for a free one
 */
public record HttpSettings(
    boolean enabled,
    String host,
    int port,
    Sizes sizes,
    Rates rates,
    Times times,
    Streams streams,
    OpenAi openAi,
    Maps maps,
    Duration drain) {

  private static final String ROOT = "colony.http";
  private static final Duration LEAST = Duration.ofMillis(100);
  private static final Duration MOST = Duration.ofHours(1);

  /** How page maps and their graphs are read, and how long their pages may be locked. */
  public record Maps(GraphSettings graph, StoreSettings store, LeaseSettings leases) {}

  /**
   * How large what comes in may be, and what is answered at once.
   *
   * @param page entries of one
   * @param pageBytes of one of a history, about
   */
  public record Sizes(
      int body,
      int uri,
      int headers,
      int headerValue,
      int page,
      int pageBytes,
      int connections,
      int connectionsPerAddress,
      int atWork) {}

  /**
   * How often requests may come.
   *
   * @param perSecond of one key, in the long run
   * @param burst of one key, at once
   * @param withoutKey a second, of all that have no valid key together
   */
  public record Rates(int perSecond, int burst, int withoutKey) {}

  /**
   * How long things may take.
   *
   * @param idle nothing is sent either way
   * @param head from when a connection could send its next request until the request's last header
   * @param body from its last header to its end
   * @param answer from the request to the answer
   * @param held that a request may ask for
   */
  public record Times(
      Duration idle, Duration head, Duration body, Duration answer, Duration held) {}

  /**
   * Streams of events.
   *
   * @param perKey open at once
   * @param buffer events that wait for one reader
   * @param heartbeat pause after which something is sent that means nothing
   * @param slowReader how long one may take nothing
   * @param longest after which the reader has to come back
   */
  public record Streams(
      int perKey, int buffer, Duration heartbeat, Duration slowReader, Duration longest) {}

  /**
   * Calls of models by OpenAI's protocols.
   *
   * @param body bytes of a request's
   * @param perKey calls under way at once
   * @param replyTokens bound on a reply where the request has none
   * @param pages that one request may name
   * @param deadline of a call, waiting and all attempts included
   */
  public record OpenAi(int body, int perKey, int replyTokens, int pages, Duration deadline) {}

  public HttpSettings {
    check(
        Integer.bitCount(streams.buffer()) == 1,
        "streams.buffer",
        "is %d, but must be a power of two".formatted(streams.buffer()));
    check(
        times.held().compareTo(times.answer()) < 0,
        "request.wait",
        "is %s, but must be less than request.answer, %s".formatted(times.held(), times.answer()));
    check(
        streams.heartbeat().compareTo(times.idle()) < 0,
        "streams.heartbeat",
        "is %s, but must be less than request.idle, %s"
            .formatted(streams.heartbeat(), times.idle()));
  }

  /**
   * Reads and checks them.
   *
   * @throws ConfigException naming the path, the value and the range
   */
  public static HttpSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, ROOT);
    return new HttpSettings(
        read.flag("enabled"),
        read.config().getString("host"),
        read.integer("port", 0, 65_535),
        new Sizes(
            read.bytes("request.body", 1024, 64 * 1024 * 1024),
            read.integer("request.uri", 512, 65_536),
            read.integer("request.headers", 8, 1024),
            read.integer("request.header-value", 512, 65_536),
            read.integer("page", 100, 10_000),
            read.bytes("page-bytes", 64 * 1024, 64 * 1024 * 1024),
            read.integer("connections", 1, 65_536),
            read.integer("connections-per-address", 1, 65_536),
            read.integer("at-work", 1, 4096)),
        new Rates(
            read.integer("rate.per-second", 1, 1_000_000),
            read.integer("rate.burst", 1, 1_000_000),
            read.integer("rate.without-key", 1, 1_000_000)),
        new Times(
            read.duration("request.idle", LEAST, MOST),
            read.duration("request.head", LEAST, MOST),
            read.duration("request.body-time", LEAST, MOST),
            read.duration("request.answer", LEAST, MOST),
            read.duration("request.wait", Duration.ZERO, MOST)),
        new Streams(
            read.integer("streams.per-key", 1, 65_536),
            read.integer("streams.buffer", 1, 4096),
            read.duration("streams.heartbeat", LEAST, MOST),
            read.duration("streams.slow-reader", LEAST, MOST),
            read.duration("streams.longest", Duration.ofSeconds(1), Duration.ofDays(1))),
        new OpenAi(
            read.bytes("openai.body", 1024, 64 * 1024 * 1024),
            read.integer("openai.per-key", 1, 65_536),
            read.integer("openai.reply-tokens", 1, 10_000_000),
            read.integer("openai.pages", 1, 10_000),
            read.duration("openai.deadline", Duration.ofSeconds(1), Duration.ofDays(1))),
        new Maps(
            GraphSettings.fromConfig(config),
            StoreSettings.fromConfig(config),
            LeaseSettings.fromConfig(config)),
        read.duration("drain", Duration.ZERO, Duration.ofMinutes(1)));
  }

  private static void check(boolean fits, String key, String words) {
    if (!fits) {
      throw new ConfigException.BadValue(ROOT + "." + key, words);
    }
  }
}
