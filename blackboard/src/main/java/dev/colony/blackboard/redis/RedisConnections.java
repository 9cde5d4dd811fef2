package dev.colony.blackboard.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The connections of one process to one Redis: a pipelined one for commands and pub/sub ones on
 * demand. Lettuce reconnects by itself and repeats the commands that were under way, so every
 * script must be idempotent.
 *
 * <p>While Redis is away, commands wait up to the command timeout and then fail; a command that
 * failed so may have been carried out nevertheless. When a connection breaks, Lettuce fails the
 * oldest command under way with an {@link java.io.IOException}; {@link RedisScript} repeats it, who
 * sends other commands must do so too.
 */
public final class RedisConnections implements AutoCloseable {

  /** Keys are text, values are bytes. */
  public static final RedisCodec<String, byte[]> CODEC =
      RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

  private static final int TICKS_UNTIL_SILENT = 4;

  private final ClientResources resources;
  private final RedisClient client;
  private final RedisURI uri;
  private final RedisSettings settings;
  private final StatefulRedisConnection<String, byte[]> commands;
  private final Availability availability;

  /** Connects at once, with the default settings but for the command timeout. */
  public RedisConnections(String uri, Duration commandTimeout) {
    this(uri, RedisSettings.withTimeout(commandTimeout));
  }

  /**
   * Connects at once.
   *
   * @param uri for example {@code redis://127.0.0.1:6379}
   * @throws io.lettuce.core.RedisConnectionException if nobody answers there
   */
  public RedisConnections(String uri, RedisSettings settings) {
    this.uri = RedisURI.create(uri);
    this.settings = settings;
    this.uri.setTimeout(settings.commandTimeout());
    this.resources =
        ClientResources.builder()
            .reconnectDelay(
                Delay.exponential(
                    settings.reconnectMin(), settings.reconnectMax(), 2, TimeUnit.MILLISECONDS))
            .build();
    this.client = RedisClient.create(resources);
    this.client.setOptions(options(settings));
    try {
      this.commands = client.connect(CODEC, this.uri);
    } catch (RuntimeException failure) {
      shutDown();
      throw failure;
    }
    this.availability = new Availability(() -> commands.async().ping(), settings.silentAfter());
    long tickMillis = Math.max(1, settings.silentAfter().toMillis() / TICKS_UNTIL_SILENT);
    resources
        .eventExecutorGroup()
        .scheduleAtFixedRate(availability::tick, tickMillis, tickMillis, TimeUnit.MILLISECONDS);
  }

  private static ClientOptions options(RedisSettings settings) {
    return ClientOptions.builder()
        .timeoutOptions(TimeoutOptions.enabled(settings.commandTimeout()))
        .requestQueueSize(settings.requestQueue())
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(settings.commandTimeout())
                .keepAlive(true)
                .build())
        // The handshake of RESP2 is a PING, which a server that is still loading its data refuses:
        // so commands wait for it. That of RESP3 succeeds, and the commands would fail.
        .protocolVersion(ProtocolVersion.RESP2)
        .maintNotificationsConfig(MaintNotificationsConfig.disabled())
        .build();
  }

  /** The shared pipelined connection's commands; thread-safe. */
  public RedisAsyncCommands<String, byte[]> commands() {
    return commands.async();
  }

  /** A new pipelined connection of the caller's own, who closes it. */
  public StatefulRedisConnection<String, byte[]> connect() {
    return client.connect(CODEC, uri);
  }

  /** A new pub/sub connection, which the caller closes. */
  public StatefulRedisPubSubConnection<String, byte[]> connectPubSub() {
    return client.connectPubSub(CODEC, uri);
  }

  /**
   * Calls the listener with false once when Redis has not answered for a while ({@code
   * silent-after}), and with true once when it answers again; never for a connection that is back
   * at once. The listener must not block.
   *
   * @return closing it ends the calls
   */
  public AutoCloseable onAvailability(Consumer<Boolean> listener) {
    return availability.onChange(listener);
  }

  public RedisSettings settings() {
    return settings;
  }

  /** Where Redis is, without user and password, for what a person reads. */
  public String address() {
    return uri.getSentinels().isEmpty()
        ? uri.getHost() + ":" + uri.getPort()
        : "sentinels "
            + uri.getSentinels().stream().map(s -> s.getHost() + ":" + s.getPort()).toList();
  }

  @Override
  public void close() {
    commands.close();
    shutDown();
  }

  private void shutDown() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
