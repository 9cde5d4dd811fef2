package dev.colony.blackboard.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * One of Lettuce's two clients, and its connection for commands. All that the blackboard sends
 * names its keys, so what is sent over a link is the same for one server and for a cluster.
 */
interface RedisLink extends AutoCloseable {

  RedisClusterAsyncCommands<String, byte[]> commands();

  StatefulConnection<String, byte[]> connect();

  StatefulRedisPubSubConnection<String, byte[]> connectPubSub();

  /** Of keys of which each has a hash tag: as few as there are servers that hold them. */
  List<String> onePerServer(List<String> keys);

  /** Calls this when any connection of the client has been lost; it must not block. */
  void onLost(Runnable listener);

  /** Completes when every server that takes writes has answered. */
  CompletionStage<?> ping();

  /** What every server that takes writes says of itself. */
  CompletionStage<List<String>> info();

  @Override
  void close();

  /** Tells of each connection of a client that was lost. */
  record LostConnections(Runnable listener) implements RedisConnectionStateListener {

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
      listener.run();
    }
  }

  /** To one server, named by the URL or by sentinels; these are asked again at each reconnect. */
  static final class ServerLink implements RedisLink {

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

  /**
   * To a cluster: one connection to each server that is written to. A pub/sub connection is to one
   * server of the cluster, which passes on what is published at any other.
   */
  static final class ClusterLink implements RedisLink {

    private final RedisClusterClient client;
    private final StatefulRedisClusterConnection<String, byte[]> connection;

    ClusterLink(ClientResources resources, ClusterClientOptions options, List<RedisURI> uris) {
      this.client = RedisClusterClient.create(resources, uris);
      this.client.setOptions(options);
      try {
        this.connection = client.connect(RedisConnections.CODEC);
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
      return client.connect(RedisConnections.CODEC);
    }

    @Override
    public StatefulRedisPubSubConnection<String, byte[]> connectPubSub() {
      return client.connectPubSub(RedisConnections.CODEC);
    }

    @Override
    public List<String> onePerServer(List<String> keys) {
      Map<String, String> first = new LinkedHashMap<>();
      for (String key : keys) {
        RedisClusterNode server = client.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
        if (server != null) {
          first.putIfAbsent(server.getNodeId(), key);
        }
      }
      return List.copyOf(first.values());
    }

    @Override
    public void onLost(Runnable listener) {
      client.addListener(new LostConnections(listener));
    }

    @Override
    public CompletionStage<?> ping() {
      return connection.async().upstream().commands().ping();
    }

    @Override
    public CompletionStage<List<String>> info() {
      return connection.async().upstream().commands().info();
    }

    @Override
    public void close() {
      connection.close();
      client.shutdown(ClientSetup.QUIET, ClientSetup.SHUTDOWN);
    }
  }
}
