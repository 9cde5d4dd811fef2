package dev.colony.blackboard.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;

/**
 * The connections of one process to one Redis: a pipelined one for commands and pub/sub ones on
 * demand. Lettuce reconnects by itself and repeats the commands that were under way, so every
 * script must be idempotent.
 */
public final class RedisConnections implements AutoCloseable {

  /** Keys are text, values are bytes. */
  public static final RedisCodec<String, byte[]> CODEC =
      RedisCodec.of(io.lettuce.core.codec.StringCodec.UTF8, ByteArrayCodec.INSTANCE);

  private final RedisClient client;
  private final RedisURI uri;
  private final StatefulRedisConnection<String, byte[]> commands;

  /**
   * Connects at once.
   *
   * @param uri for example {@code redis://127.0.0.1:6379}
   * @param commandTimeout how long one command may take, reconnects included
   * @throws io.lettuce.core.RedisConnectionException if nobody answers there
   */
  public RedisConnections(String uri, Duration commandTimeout) {
    this.uri = RedisURI.create(uri);
    this.uri.setTimeout(commandTimeout);
    this.client = RedisClient.create();
    this.client.setOptions(
        ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled(commandTimeout)).build());
    try {
      this.commands = client.connect(CODEC, this.uri);
    } catch (RuntimeException failure) {
      client.shutdown();
      throw failure;
    }
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

  @Override
  public void close() {
    commands.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }
}
