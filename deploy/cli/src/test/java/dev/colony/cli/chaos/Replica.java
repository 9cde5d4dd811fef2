package dev.colony.cli.chaos;

import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;

/** A replica of a Redis server that can be kept behind, and promoted in its place. */
final class Replica implements AutoCloseable {

  private static final String HOST = "127.0.0.1";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ProcessHandle process;
  private final int port;
  private final String password;
  private final Gate link;

  /**
   * Starts one and waits until it has what the master has.
   *
   * @param folder where it keeps its data
   * @param master where the master listens
   * @param password of the master, and of this one from now on
   */
  Replica(Path folder, Config config, int master, String password) {
    RedisServerProcess server =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder));
    this.process = ProcessHandle.of(server.pid()).orElseThrow();
    this.port = server.port();
    this.password = password;
    this.link = new Gate(HOST, 0, HOST, master);
    try (RedisConnections redis = new RedisConnections(server.uri(), PATIENCE)) {
      var commands = redis.commands();
      commands.configSet("repl-diskless-sync-delay", "0").toCompletableFuture().join();
      commands.configSet("masterauth", password).toCompletableFuture().join();
      commands.replicaof(HOST, link.port()).toCompletableFuture().join();
      commands.configSet("requirepass", password).toCompletableFuture().join();
    }
    try (RedisConnections redis = connect()) {
      await()
          .atMost(PATIENCE)
          .until(() ->
              redis
                  .commands()
                  .info("replication")
                  .toCompletableFuture()
                  .join()
                  .contains("master_link_status:up"));
    }
  }

  int port() {
    return port;
  }

  private RedisConnections connect() {
    return new RedisConnections("redis://:" + password + "@" + HOST + ":" + port, PATIENCE);
  }

  /** What the master is told reaches it no more. */
  void keepBehind() {
    link.cut();
  }

  /** Becomes a master. */
  void promote() {
    try (RedisConnections redis = connect()) {
      redis.commands().replicaofNoOne().toCompletableFuture().join();
    }
  }

  @Override
  public void close() {
    link.close();
    process.destroyForcibly();
    process.onExit().join();
  }
}
