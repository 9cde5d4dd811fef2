package dev.colony.node.faults;

import com.typesafe.config.Config;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * A process of its own that runs paying agents on a Redis that outlives it. A payment is a line in
 * a file. Arguments: Redis URI, the file.
 */
final class PayingNode {

  private PayingNode() {}

  static Config config(String redisUri) {
    return LocalNode.config(redisUri, "");
  }

  static RedisBlackboards boards(String redisUri) {
    return new RedisBlackboards(
        new RedisConnections(redisUri, Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS);
  }

  public static void main(String[] args) {
    Path file = Path.of(args[1]);
    LocalNode.of(boards(args[0]), new PayerTypes())
        .journal(args[0])
        .service(Outside.Door.class, (actionId, key) -> pay(file, key))
        .start();
  }

  /** In the file for good, whatever becomes of the process. */
  private static synchronized String pay(Path file, String key) {
    try {
      Files.writeString(file, key + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      return key;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
