package dev.colony.cli.chaos;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.cli.local.ChildNode.RestartableNodes;
import dev.colony.cli.local.Cluster.BlackboardClient;
import dev.colony.cli.local.StateDirectory;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.journal.Journal;
import dev.colony.journal.JournalReader;
import dev.colony.journal.JournalReader.Stored;
import dev.colony.journal.LostLogs;
import dev.colony.node.Started;
import dev.colony.node.entity.AgentSettings;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;

/**
 * Nodes in JVMs of their own, three if nothing else is said, a Redis server of their own behind a
 * {@link Gate}, and a client that reaches the server directly.
 */
final class ChaosCluster implements AutoCloseable {

  static final int NODES = 3;

  /** Longer than a node of {@link #SETTINGS} may be silent before the others remove it. */
  static final Duration REMOVED_AFTER = Duration.ofSeconds(12);

  /** Patient with a machine that is busy. */
  private static final String SETTINGS =
      "pekko.cluster.failure-detector.acceptable-heartbeat-pause = 6s\n";

  /** Every event is kept, so that the journals can be read whole. */
  private static final String ALL_KEPT = "colony.agent.snapshot-every = 100000\n";

  private static final Duration BACKUP_TIMEOUT = Duration.ofSeconds(30);
  private static final String HOST = "127.0.0.1";

  /** For how long nothing is found lost any more where all is restored. */
  private static final Duration QUIET = Duration.ofSeconds(8);

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Started started = new Started();
  private final ServerSettings redisSettings;
  private final Config config;
  private final Gate gate;
  private final List<Address> addresses;
  private final Path folder;
  private final StateDirectory state;
  private final RestartableNodes nodes;
  private final BlackboardClient client;
  private final String settings;
  private final Optional<Replica> replica;

  /** Where the test's own clients find the data. */
  private final String uri;

  private RedisServerProcess redis;

  /** Where a node listens, and where the others believe that it does. */
  record Address(String host, int port, String bindHost, int bindPort) {
    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  /** Nodes that reach each other directly. */
  static ChaosCluster direct(Path folder) {
    return new ChaosCluster(folder, loopback());
  }

  /** The same with more settings. */
  static ChaosCluster direct(Path folder, String more) {
    return new ChaosCluster(folder, loopback(), "node", more, false);
  }

  /**
   * Nodes whose Redis has a replica, and clients that come to Redis as the nodes do.
   *
   * @param waited how many replicas the nodes and the clients wait for
   */
  static ChaosCluster replicated(Path folder, int waited) {
    return new ChaosCluster(
        folder,
        loopback(),
        "node",
        SETTINGS + "colony.blackboard.redis.wait-replicas = " + waited + "\n",
        true);
  }

  private static List<Address> loopback() {
    return LoopbackPorts.free(NODES).stream()
        .map(port -> new Address(HOST, port, HOST, port))
        .toList();
  }

  ChaosCluster(Path folder, List<Address> addresses) {
    this(folder, addresses, "node");
  }

  ChaosCluster(Path folder, List<Address> addresses, String names) {
    this(folder, addresses, names, SETTINGS);
  }

  /**
   * @param folder where Redis begins with what lies in {@code redis}
   * @param names what the nodes' names begin with
   * @param settings in which nodes differ from others
   */
  ChaosCluster(Path folder, List<Address> addresses, String names, String settings) {
    this(folder, addresses, names, settings, false);
  }

  private ChaosCluster(
      Path folder, List<Address> addresses, String names, String settings, boolean replicated) {
    this.addresses = addresses;
    this.folder = folder;
    this.settings = settings + ALL_KEPT;
    try {
      Path file = Files.writeString(folder.resolve("chaos.conf"), this.settings);
      config = NodeConfig.base(Optional.of(file));
      redisSettings = ServerSettings.fromConfig(config, folder.resolve("redis"));
      redis = RedisServerProcess.ensure(redisSettings);
      started.add(() -> redis().stop());
      gate = started.add(new Gate(HOST, 0, HOST, redis.port()));
      replica = replicated ? Optional.of(replica(redis.port(), "replica")) : Optional.empty();
      uri = replicated ? gated() : redis.uri();
      state = StateDirectory.open(folder.resolve("state"));
      List<NodeOptions> options = new ArrayList<>();
      List<HostPort> contactPoints =
          LoopbackPorts.free(addresses.size()).stream()
              .map(port -> new HostPort(HOST, port))
              .toList();
      for (int i = 0; i < addresses.size(); i++) {
        options.add(options(folder, names + "-" + (i + 1), i, addresses.get(i), contactPoints));
      }
      nodes = started.add(RestartableNodes.start(state, options));
      client = started.add(BlackboardClient.connect(uri, config, line -> {}));
    } catch (IOException failure) {
      started.close();
      throw new UncheckedIOException(failure);
    } catch (RuntimeException failure) {
      started.close();
      throw failure;
    }
  }

  private NodeOptions options(
      Path folder, String name, int number, Address own, List<HostPort> contactPoints)
      throws IOException {
    Path file =
        Files.writeString(
            folder.resolve(name + ".conf"),
            settings
                + """
                pekko.remote.artery {
                  bind { hostname = "%s", port = %d }
                  advanced.tcp.outbound-client-hostname = "%s"
                }
                """
                    .formatted(own.bindHost(), own.bindPort(), own.host()));
    return new NodeOptions(
        name,
        Listening.at(own.host(), own.port()),
        new Joining.ContactPoints(
            Listening.at(HOST, contactPoints.get(number).port()), contactPoints),
        addresses.size(),
        OptionalInt.empty(),
        gated(),
        Optional.empty(),
        Optional.of(file));
  }

  private String gated() {
    return redis.uri().replace(":" + redis.port(), ":" + gate.port());
  }

  private Replica replica(int of, String name) {
    String password = redis.uri().replaceFirst("redis://:(.*)@.*", "$1");
    return started.add(new Replica(folder.resolve(name), config, of, password));
  }

  /** Has what is written from now on not reach the replica. */
  void keepReplicaBehind() {
    replica.orElseThrow().keepBehind();
  }

  /** Redis dies, and its replica takes its place; it has a replica of its own soon. */
  void promoteReplica() {
    ProcessHandle master = ProcessHandle.of(redis().pid()).orElseThrow();
    master.destroyForcibly();
    master.onExit().join();
    replica.orElseThrow().promote();
    gate.leadTo(replica.orElseThrow().port());
    replica(replica.orElseThrow().port(), "another");
  }

  RestartableNodes nodes() {
    return nodes;
  }

  /** The node at an address, {@code host:port}. */
  String nameOf(String address) {
    for (int i = 0; i < addresses.size(); i++) {
      if (addresses.get(i).toString().equals(address)) {
        return nodes.names().get(i);
      }
    }
    throw new IllegalArgumentException("no node at " + address);
  }

  /** What a node has logged since it was started last. */
  String log(String node) {
    try {
      return Files.readString(state.log(node));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** What stands between the nodes and Redis. */
  Gate gate() {
    return gate;
  }

  synchronized RedisServerProcess redis() {
    return redis;
  }

  /** Starts Redis again, from its file and on its port. */
  synchronized void reviveRedis() {
    redis = RedisServerProcess.ensure(redisSettings);
  }

  /** How long the file is that Redis begins with. */
  long redisFile() {
    try {
      return Files.size(redisFile(redis()));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Kills Redis, and starts it with what its file held when it had a length. */
  void rollBackRedis(long length) {
    ProcessHandle process = ProcessHandle.of(redis().pid()).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
    try (FileChannel file = FileChannel.open(redisFile(redis()), StandardOpenOption.WRITE)) {
      file.truncate(length);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    reviveRedis();
  }

  private static Path redisFile(RedisServerProcess redis) {
    return redis.directory().resolve("appendonly.aof");
  }

  /** Asks the nodes to give back what Redis has lost, until nothing is lost; what that was. */
  Set<String> restoreAll(Duration longest) {
    Set<String> lost = new TreeSet<>();
    try (Journal journal = BlackboardClient.journal(uri, config)) {
      LostLogs logs = journal.reader(StoredTypes::read).lostLogs();
      Awaitility.await()
          .atMost(longest)
          .during(QUIET)
          .pollInterval(Duration.ofMillis(200))
          .until(() -> {
            List<LostLogs.Lost> found = logs.list().toCompletableFuture().join();
            for (LostLogs.Lost log : found) {
              lost.add(log.persistenceId());
              logs.restore(log.persistenceId()).toCompletableFuture().join();
            }
            return found.isEmpty();
          });
    }
    return lost;
  }

  Blackboards blackboards() {
    return client.blackboards();
  }

  /** Has Redis write a snapshot while it serves, and copies that. */
  void backUp(Path copy) throws IOException {
    try (RedisConnections connections = new RedisConnections(redis().uri(), BACKUP_TIMEOUT)) {
      var commands = connections.commands();
      commands.bgsave().toCompletableFuture().join();
      Awaitility.await()
          .atMost(BACKUP_TIMEOUT)
          .until(() ->
              commands
                  .info("persistence")
                  .toCompletableFuture()
                  .join()
                  .contains("rdb_bgsave_in_progress:0"));
    }
    Files.createDirectories(copy.getParent());
    Files.copy(redis().directory().resolve("dump.rdb"), copy);
  }

  Colony colony() {
    return new BlackboardColony(
        client.blackboards(),
        HomeResolver.byHash(Settings.read(AgentSettings.class, config).placementUnits()),
        Settings.read(ClientSettings.class, config));
  }

  /** All results that stand on the blackboard. */
  Map<RunId, Evidence.Published> published(Map<AgentId, List<RunId>> runs) {
    Map<RunId, Evidence.Published> found = new HashMap<>();
    runs.forEach((agent, ids) -> {
      var board =
          client
              .blackboards()
              .open(agent.scope().namespace(Errand.NAMESPACE), agent.persistenceId());
      ids.forEach(id ->
          board
              .read(PROTOCOL.resultKey(id.value()))
              .toCompletableFuture()
              .join()
              .ifPresent(
                  entry -> found.put(id, new Evidence.Published(entry.value(), entry.version()))));
    });
    return found;
  }

  /** All events of these agents. */
  Map<AgentId, List<Stored>> journals(Iterable<AgentId> agents) {
    return journals(uri, config, agents);
  }

  /** The same of a Redis without nodes. */
  static Map<AgentId, List<Stored>> journals(
      String redisUri, Config config, Iterable<AgentId> agents) {
    Map<AgentId, List<Stored>> journals = new HashMap<>();
    try (Journal journal = BlackboardClient.journal(redisUri, config)) {
      JournalReader reader = journal.reader(StoredTypes::read);
      for (AgentId agent : agents) {
        journals.put(
            agent,
            reader
                .reach(agent.persistenceId())
                .thenCompose(reach -> reader.events(agent.persistenceId(), 1, reach.last()))
                .toCompletableFuture()
                .join());
      }
    }
    return journals;
  }

  @Override
  public void close() {
    started.close();
  }
}
