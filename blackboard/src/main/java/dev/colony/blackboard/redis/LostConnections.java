package dev.colony.blackboard.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;

/** Tells of each connection of a client that was lost. */
record LostConnections(Runnable listener) implements RedisConnectionStateListener {

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
    listener.run();
  }
}
