package dev.colony.blackboard.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
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
 * To a cluster: one connection to each server that is written to. A pub/sub connection is to one
 * server of the cluster, which passes on what is published at any other.
 */
final class ClusterLink implements RedisLink {

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
