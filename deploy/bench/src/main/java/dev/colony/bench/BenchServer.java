package dev.colony.bench;

import com.typesafe.config.Config;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.server.Started;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A Redis server of a benchmark's own and a blackboard on it; closing it ends both. It rewrites its
 * file only when that has grown to gigabytes: a rewrite takes a processor for as long as it lasts,
 * and would fall into one phase and not into the other.
 */
final class BenchServer implements AutoCloseable {

  private static final String REWRITE_FROM_BYTES = Long.toString(4L << 30);

  private static final Duration CATCHING_UP = Duration.ofMinutes(1);

  private final Started started = new Started();
  private final Config config;
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
    this.config = config;
    try {
      server = start(directory, config, fsync);
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

  /** The same server by connections of its own, which wait for replicas; closing it ends these. */
  private BenchServer(BenchServer master, int waitedFor) {
    config = master.config;
    server = master.server;
    settings = master.settings;
    redis =
        started.add(
            new RedisConnections(
                server.uri(), RedisSettings.fromConfig(config).withWaitReplicas(waitedFor)));
    blackboards = started.add(new RedisBlackboards(redis, settings));
  }

  private static RedisServerProcess start(Path directory, Config config, Fsync fsync) {
    return RedisServerProcess.ensure(
        ServerSettings.fromConfig(config, directory).withoutPassword().withFsync(fsync));
  }

  /** The same blackboard, where a write counts as stored once replicas have it. */
  BenchServer waitingFor(int replicas) {
    return new BenchServer(this, replicas);
  }

  /** Starts a replica of it, which has caught up when this returns, and ends with it. */
  void replicate(Path directory, Fsync fsync) {
    RedisServerProcess replica = start(directory, config, fsync);
    started.add(replica::stop);
    try (RedisConnections connection =
        new RedisConnections(replica.uri(), RedisSettings.fromConfig(config))) {
      redis.commands().configSet("repl-diskless-sync-delay", "0").toCompletableFuture().join();
      connection.commands().replicaof("127.0.0.1", server.port()).toCompletableFuture().join();
      long deadline = System.nanoTime() + CATCHING_UP.toNanos();
      while (!connection
          .commands()
          .info("replication")
          .toCompletableFuture()
          .join()
          .contains("master_link_status:up")) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("the replica has not caught up in " + CATCHING_UP);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
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
