package dev.colony.blackboard.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** To one server, named by the URL or by sentinels; these are asked again at each reconnect. */
final class ServerLink implements RedisLink {

  private final RedisClient client;
  private final RedisURI uri;
  private final StatefulRedisConnection<String, byte[]> connection;

  ServerLink(ClientResources resources, ClientOptions options, RedisURI uri) {
    this.uri = uri;
    this.client = RedisClient.create(resources);
    this.client.setOptions(options);
    try {
      this.connection = client.connect(RedisConnections.CODEC, uri);
    } catch (RuntimeException failure) {
      client.shutdown(ClientSetup.QUIET, ClientSetup.SHUTDOWN);
      throw failure;
    }
  }

  @Override
  public RedisClusterAsyncCommands<String, byte[]> commands() {
    return connection.async();
  }

  @Override
  public StatefulConnection<String, byte[]> connect() {
    return client.connect(RedisConnections.CODEC, uri);
  }

  @Override
  public StatefulRedisPubSubConnection<String, byte[]> connectPubSub() {
    return client.connectPubSub(RedisConnections.CODEC, uri);
  }

  @Override
  public List<String> onePerServer(List<String> keys) {
    return keys.subList(0, Math.min(1, keys.size()));
  }

  @Override
  public void onLost(Runnable listener) {
    client.addListener(new LostConnections(listener));
  }

  @Override
  public CompletionStage<?> ping() {
    return connection.async().ping();
  }

  @Override
  public CompletionStage<List<String>> info() {
    return connection.async().info().thenApply(List::of);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(ClientSetup.QUIET, ClientSetup.SHUTDOWN);
  }
}
