package dev.colony.blackboard.redis;

import dev.colony.blackboard.server.TestServer;
import dev.colony.blackboard.server.TestUser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract as a user who may do no more than docs/concepts/blackboard.md lists. */
class RedisAclTest extends RedisContract {

  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestUser.server("appendonly yes");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String uri() {
    return TestUser.uri(server);
  }
}
