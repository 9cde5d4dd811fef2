package dev.colony.server.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.node.Started;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.WatchSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.table.NodeAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A cluster of nodes in this process, with a Redis server of its own. */
public final class LocalNodes implements AutoCloseable {

  private static final String HOST = "127.0.0.1";

  private final Started started = new Started();
  private final Map<NodeAddress, Node> nodes = new ConcurrentHashMap<>();
  private final Config config;
  private final Blackboards blackboards;

  /** Starts them all and waits until all are members. */
  public LocalNodes(int count, Path folder, Config base) {
    this(count, folder, base, OptionalInt.empty());
  }

  /**
   * The same.
   *
   * @param api the port of the first one's HTTP API, 0 for a free one; empty for none
   */
  public LocalNodes(int count, Path folder, Config base, OptionalInt api) {
    config = config("", base);
    RedisServerProcess redis = redis(started, config, folder);
    RedisConnections connections =
        started.add(new RedisConnections(redis.uri(), Duration.ofSeconds(20)));
    blackboards =
        started.add(new RedisBlackboards(connections, BlackboardSettings.fromConfig(config)));
    try {
      startAll(options(count, redis.uri(), api));
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

  public static Config config(String more, Config base) {
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

  /** A Redis server that ends with all that was started, and its data with it. */
  public static RedisServerProcess redis(Started started) {
    try {
      Path folder = Files.createTempDirectory("colony-redis");
      started.add(() -> delete(folder));
      return redis(started, NodeConfig.base(Optional.empty()), folder);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * So many nodes on free ports of loopback, of which all must be there before any is a member.
   *
   * @param api the port of the first one's HTTP API, 0 for a free one; empty for none
   */
  public static List<NodeOptions> options(int count, String redisUri, OptionalInt api) {
    List<Integer> ports = LoopbackPorts.free(2 * count);
    List<HostPort> contactPoints =
        ports.subList(0, count).stream().map(port -> new HostPort(HOST, port)).toList();
    return IntStream.range(0, count)
        .mapToObj(i ->
            new NodeOptions(
                "node-" + (i + 1),
                Listening.at(HOST, ports.get(count + i)),
                new Joining.ContactPoints(
                    Listening.at(HOST, contactPoints.get(i).port()), contactPoints),
                count,
                i == 0 ? api : OptionalInt.empty(),
                redisUri,
                Optional.empty(),
                Optional.empty()))
        .toList();
  }

  /** The pages of a directory, stored. */
  public MappingResult.Mapped store(Path tree) {
    PageMapper mapper =
        new PageMapper(
            GroupingSettings.fromConfig(config),
            SourceSettings.fromConfig(config),
            new TokenCounter());
    MappingResult result =
        mapper.map(
            new FileTreeSource(tree, SourceSettings.fromConfig(config), WatchSettings.USUAL),
            (stage, done, all) -> {});
    MappingResult.Mapped mapped = (MappingResult.Mapped) result;
    pages().save(mapped.map(), mapped.pages());
    return mapped;
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

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  public List<NodeAddress> addresses() {
    return nodes.keySet().stream().sorted().toList();
  }

  /** The address of the HTTP API of the only one. */
  public URI api() {
    return URI.create(nodes.values().iterator().next().api());
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
