package dev.colony.blackboard.redis;

import dev.colony.blackboard.server.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/** The contract over the redis-server on the PATH, where that is of another series. */
class NewerRedisTest extends RedisContract {

  private static TestServer newer;

  @BeforeAll
  static void start() {
    newer = TestServer.newer("appendonly yes").orElse(null);
    Assumptions.assumeTrue(
        newer != null,
        "no redis-server of another version on the PATH: the contract is not run over a newer one");
  }

  @AfterAll
  static void stop() {
    if (newer != null) {
      newer.close();
    }
  }

  @Override
  String uri() {
    return newer.uri();
  }
}
