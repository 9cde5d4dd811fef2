package dev.colony.blackboard.redis;

import dev.colony.blackboard.server.TestServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract as a user who may do no more than docs/blackboard.md lists. */
class RedisAclTest extends RedisContract {

  private static final List<String> LEAST =
      List.of(
          "~colony:*",
          "resetchannels",
          "&colony:*",
          "-@all",
          "+ping",
          "+info",
          "+subscribe",
          "+unsubscribe",
          "+eval",
          "+evalsha");

  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            "user default off",
            "user board on >secret " + String.join(" ", LEAST),
            "appendonly yes");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  String uri() {
    return server.uri().replace("://", "://board:secret@");
  }
}
