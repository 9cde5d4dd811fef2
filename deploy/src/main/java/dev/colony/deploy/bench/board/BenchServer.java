package dev.colony.deploy.bench.board;

import com.typesafe.config.Config;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.deploy.Started;
import java.nio.file.Path;

/**
 * A Redis server of a benchmark's own and a blackboard on it; closing it ends both. It rewrites its
 * file only when that has grown to gigabytes: a rewrite takes a processor for as long as it lasts,
 * and would fall into one phase and not into the other.
 */
final class BenchServer implements AutoCloseable {

  private static final String REWRITE_FROM_BYTES = Long.toString(4L << 30);

  private final Started started = new Started();
  private final RedisServerProcess server;
  private final RedisConnections redis;
  private final BlackboardSettings settings;
  private final Blackboards blackboards;

  /**
   * Starts it.
   *
   * @param directory holds the server's data
   */
  BenchServer(Path directory, Config config, Fsync fsync) {
    try {
      server =
          RedisServerProcess.ensure(
              ServerSettings.fromConfig(config, directory).withoutPassword().withFsync(fsync));
      started.add(server::stop);
      redis = started.add(new RedisConnections(server.uri(), RedisSettings.fromConfig(config)));
      redis
          .commands()
          .configSet("auto-aof-rewrite-min-size", REWRITE_FROM_BYTES)
          .toCompletableFuture()
          .join();
      settings = BlackboardSettings.fromConfig(config);
      blackboards = started.add(new RedisBlackboards(redis, settings));
    } catch (RuntimeException failure) {
      started.close();
      throw failure;
    }
  }

  RedisServerProcess server() {
    return server;
  }

  RedisConnections redis() {
    return redis;
  }

  BlackboardSettings settings() {
    return settings;
  }

  Blackboards blackboards() {
    return blackboards;
  }

  @Override
  public void close() {
    started.close();
  }
}
