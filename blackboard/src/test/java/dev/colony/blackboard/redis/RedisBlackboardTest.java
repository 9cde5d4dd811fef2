package dev.colony.blackboard.redis;

import dev.colony.blackboard.server.TestRedis;

class RedisBlackboardTest extends RedisContract {

  @Override
  String uri() {
    return TestRedis.shared().uri();
  }
}
