package dev.colony.server.http;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings under {@code colony.http}; reference.conf says what each means.
 *
 * @param port 0 for a free one
 * @param tls the directory of its certificate; empty for plain HTTP
 */
@Section("colony.http")
public record HttpSettings(
    boolean enabled,
    String host,
    @Range(min = "0", max = "65535") int port,
    Optional<String> tls,
    @Range(min = "1", max = "65536") int connections,
    @Range(min = "1", max = "65536") int connectionsPerAddress,
    Request request,
    Rate rate,
    Streams streams,
    Openai openai) {

  /**
   * What one request may be.
   *
   * @param body its bytes
   */
  public record Request(@Range(min = "1 KiB", max = "64 MiB") int body) {}

  /**
   * How often requests of one key may come.
   *
   * @param perSecond in the long run
   * @param burst at once
   */
  public record Rate(
      @Range(min = "1", max = "1000000") int perSecond,
      @Range(min = "1", max = "1000000") int burst) {}

  /**
   * Streams of events.
   *
   * @param perKey open at once
   */
  public record Streams(@Range(min = "1", max = "65536") int perKey) {}

  /**
   * Calls of models by OpenAI's and Anthropic's protocols.
   *
   * @param body bytes of a request's
   * @param perKey calls under way at once
   * @param deadline of a call, waiting and all attempts included
   */
  public record Openai(
      @Range(min = "1 KiB", max = "64 MiB") int body,
      @Range(min = "1", max = "65536") int perKey,
      @Range(min = "1s", max = "1d") Duration deadline) {}

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static HttpSettings fromConfig(Config config) {
    return Settings.read(HttpSettings.class, config);
  }

  /**
   * Bounds that no operator has a reason to change. What is slow or large beyond them is a client's
   * fault, or meant to hold up the node.
   *
   * @param uri characters of one
   * @param headers of one request
   * @param headerValue characters of one
   * @param page entries of one
   * @param pageBytes of a page of a history, about: it ends early with the entries that reach them
   * @param atWork requests that are worked on at once; further ones wait for their turn
   * @param withoutKey requests a second, of all that have no valid key together
   * @param reload how often the file of keys and the certificate are looked at again
   * @param idle after which a connection is closed over which nothing is sent either way
   * @param head from when a connection could send its next request until the request's last header
   * @param bodyTime from its last header to its end
   * @param answer from the request to the answer; more than {@code held}
   * @param held that a request may ask to wait for a run
   * @param buffer events that wait for one reader, a power of two; behind them the source waits
   * @param heartbeat pause after which something is sent that means nothing, and after which a
   *     stream's key is checked again; less than {@code idle}
   * @param slowReader how long one may take nothing of what is there
   * @param longest after which the reader of a stream has to come back
   * @param replyTokens bound on a model's reply where the request has none
   * @param pages that one call of a model may name
   * @param drain how long a node that ends waits for the answers under way
   */
  record Bounds(
      int uri,
      int headers,
      int headerValue,
      int page,
      int pageBytes,
      int atWork,
      int withoutKey,
      Duration reload,
      Duration idle,
      Duration head,
      Duration bodyTime,
      Duration answer,
      Duration held,
      int buffer,
      Duration heartbeat,
      Duration slowReader,
      Duration longest,
      int replyTokens,
      int pages,
      Duration drain) {

    static final Bounds USUAL =
        new Bounds(
            8192,
            64,
            8192,
            1000,
            1024 * 1024,
            64,
            50,
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofSeconds(20),
            Duration.ofSeconds(45),
            Duration.ofSeconds(30),
            16,
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofMinutes(30),
            8192,
            256,
            Duration.ofSeconds(3));
  }
}
