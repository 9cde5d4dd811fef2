package dev.colony.blackboard.redis;

import dev.colony.blackboard.server.TestRedisCluster;

/** The contract over a cluster of three servers. */
class RedisClusterTest extends RedisContract {

  @Override
  String uri() {
    return TestRedisCluster.shared().uri();
  }
}
