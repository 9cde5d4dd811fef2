package dev.colony.blackboard.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
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
}
