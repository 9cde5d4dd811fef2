package dev.colony.deploy.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.deploy.Started;
import dev.colony.deploy.local.LoopbackNodes;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.table.NodeAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/** A cluster of nodes in this process, with a Redis server of its own. */
public final class LocalNodes implements AutoCloseable {

  private final Started started = new Started();
  private final Map<NodeAddress, Node> nodes = new ConcurrentHashMap<>();
  private final Config config;
  private final Blackboards blackboards;

  /** Starts them all and waits until all are members. */
  public LocalNodes(int count, Path folder, Config base) {
    config = config("", base);
    RedisServerProcess redis = redis(started, config, folder);
    RedisConnections connections =
        started.add(new RedisConnections(redis.uri(), Duration.ofSeconds(20)));
    blackboards =
        started.add(new RedisBlackboards(connections, BlackboardSettings.fromConfig(config)));
    try {
      startAll(LoopbackNodes.withoutApi(redis.uri(), Optional.empty()).options(count));
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
  }

  /**
   * The settings of a node that may be one of several in this process.
   *
   * @param more settings, which win over those that are carried along
   */
  public static Config config(String more) {
    return config(more, NodeConfig.base(Optional.empty()));
  }

  private static Config config(String more, Config base) {
    return ConfigFactory.parseString(more)
        .withFallback(ConfigFactory.parseString("pekko.cluster.jmx.enabled = off"))
        .withFallback(base)
        .resolve();
  }

  /** A Redis server that keeps its data in this folder, and ends with all that was started. */
  public static RedisServerProcess redis(Started started, Config config, Path folder) {
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
    started.add(redis::stop);
    return redis;
  }

  private void startAll(List<NodeOptions> all) {
    try (var starters = Executors.newFixedThreadPool(all.size())) {
      List<CompletableFuture<Void>> starting =
          all.stream()
              .map(options ->
                  CompletableFuture.runAsync(
                      () ->
                          nodes.put(
                              new NodeAddress(options.address()),
                              started.add(Node.start(options, config))),
                      starters))
              .toList();
      starting.forEach(CompletableFuture::join);
    }
  }

  public List<NodeAddress> addresses() {
    return nodes.keySet().stream().sorted().toList();
  }

  public Config config() {
    return config;
  }

  public Blackboards blackboards() {
    return blackboards;
  }

  public PageStore pages() {
    return new BlackboardPageStore(
        blackboards, Node.PAGES_TENANT, "test", StoreSettings.fromConfig(config));
  }

  /** Lets one leave as SIGTERM does; it stays among the addresses. */
  public void leave(NodeAddress address) {
    nodes.get(address).close();
  }

  @Override
  public void close() {
    started.close();
  }
}
