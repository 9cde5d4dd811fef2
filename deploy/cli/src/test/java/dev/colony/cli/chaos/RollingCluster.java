package dev.colony.cli.chaos;

import com.typesafe.config.Config;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.local.ChildNode.RestartableNodes;
import dev.colony.cli.local.StateDirectory;
import dev.colony.client.ColonyClient;
import dev.colony.client.http.HttpColony;
import dev.colony.node.Started;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Three nodes in JVMs of their own behind a {@link RoundRobin}, and room for more. */
final class RollingCluster implements AutoCloseable {

  private static final int NODES = 3;
  private static final int MOST = 5;
  private static final int PORTS_OF_A_NODE = 3;
  private static final String HOST = "127.0.0.1";

  /** Patient with a machine that is busy with five JVMs. */
  private static final String SETTINGS =
      "pekko.cluster.failure-detector.acceptable-heartbeat-pause = 10s\n";

  private final Started started = new Started();
  private final List<NodeOptions> options;
  private final StateDirectory state;
  private final RestartableNodes nodes;
  private final RoundRobin entrance;
  private final ColonyClient redis;

  /** Nodes with the embedded replica. */
  RollingCluster(Path folder) {
    this(folder, "", Optional.empty());
  }

  /**
   * @param more settings of the nodes
   */
  RollingCluster(Path folder, String more, Optional<URI> modelUrl) {
    try {
      Path file = Files.writeString(folder.resolve("rolling.conf"), SETTINGS + more);
      Config config = NodeConfig.base(Optional.of(file));
      RedisServerProcess server =
          RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
      started.add(server::stop);
      options = options(server.uri(), modelUrl, file);
      state = StateDirectory.open(folder.resolve("state"));
      nodes = started.add(RestartableNodes.start(state, options.subList(0, NODES)));
      entrance =
          started.add(
              new RoundRobin(
                  options.subList(0, NODES).stream().map(one -> one.api().getAsInt()).toList()));
      redis = started.add(ColonyClient.connect(server.uri(), config));
    } catch (IOException failure) {
      started.close();
      throw new UncheckedIOException(failure);
    } catch (RuntimeException failure) {
      started.close();
      throw failure;
    }
  }

  /** Those that come later ask the first ones. */
  private static List<NodeOptions> options(String redisUri, Optional<URI> modelUrl, Path file) {
    List<Integer> free = LoopbackPorts.free(MOST * PORTS_OF_A_NODE);
    List<HostPort> known =
        free.subList(0, NODES).stream().map(port -> new HostPort(HOST, port)).toList();
    List<NodeOptions> options = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      List<HostPort> contactPoints = new ArrayList<>(known);
      HostPort own = new HostPort(HOST, free.get(i));
      if (i >= NODES) {
        contactPoints.add(own);
      }
      options.add(
          new NodeOptions(
              "node-" + (i + 1),
              Listening.at(HOST, free.get(MOST + i)),
              new Joining.ContactPoints(Listening.at(HOST, own.port()), contactPoints),
              NODES,
              OptionalInt.of(free.get(2 * MOST + i)),
              redisUri,
              modelUrl,
              Optional.of(file)));
    }
    return options;
  }

  /** Each of the first nodes in turn ends by SIGTERM and is started again. */
  void restartEach() {
    for (NodeOptions one : options.subList(0, NODES)) {
      end(one.name());
      nodes.restart(one.name());
      nodes.awaitReady(one.name());
    }
  }

  /** What the processes of a node have logged: the present one and the one before it. */
  String logs(String node) throws IOException {
    Path log = state.log(node);
    Path before = log.resolveSibling(log.getFileName() + ".1");
    return (Files.exists(before) ? Files.readString(before) : "") + Files.readString(log);
  }

  /** The names of the first nodes. */
  List<String> names() {
    return options.subList(0, NODES).stream().map(NodeOptions::name).toList();
  }

  /** All the others are started, one by one. */
  void grow() {
    for (NodeOptions one : options.subList(NODES, MOST)) {
      nodes.add(one);
      nodes.awaitReady(one.name());
      entrance.add(one.api().getAsInt());
    }
  }

  /** They end again, by SIGTERM. */
  void shrink() {
    options.subList(NODES, MOST).forEach(one -> end(one.name()));
  }

  private void end(String name) {
    nodes.terminate(name);
    nodes.process(name).onExit().join();
  }

  /** Over HTTP, by whichever node comes next. */
  Colony colony() {
    return HttpColony.at(entrance.uri(), "");
  }

  /** By Redis itself, whatever became of the nodes. */
  Colony direct() {
    return redis.colony();
  }

  RoundRobin entrance() {
    return entrance;
  }

  @Override
  public void close() {
    started.close();
  }
}
