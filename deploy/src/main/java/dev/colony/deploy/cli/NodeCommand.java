package dev.colony.deploy.cli;

import com.typesafe.config.Config;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.Started;
import dev.colony.deploy.local.NodeRecord;
import dev.colony.deploy.local.RedisServer;
import dev.colony.deploy.local.StateDirectory;
import dev.colony.deploy.node.Node;
import dev.colony.deploy.node.NodeConfig;
import dev.colony.deploy.node.NodeOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one node in this process until it is told to stop. */
@Command(
    name = "node",
    mixinStandardHelpOptions = true,
    description = "Runs one node in the foreground until SIGTERM; up and run start nodes so.")
final class NodeCommand implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(NodeCommand.class);

  @Option(names = "--name", required = true, description = "Names the node in the cluster.")
  private String name;

  @Option(names = "--host", defaultValue = "127.0.0.1", description = "Default: ${DEFAULT-VALUE}.")
  private String host;

  @Option(names = "--port", required = true, description = "Of remoting.")
  private int port;

  @Option(
      names = "--seeds",
      required = true,
      split = ",",
      paramLabel = "HOST:PORT",
      description = "The nodes to join through; the first forms the cluster.")
  private List<String> seeds;

  @Option(
      names = "--cluster-size",
      defaultValue = "1",
      description = "How many nodes must be there before any becomes a member.")
  private int clusterSize;

  @Option(names = "--redis", required = true, description = "For example redis://127.0.0.1:6379.")
  private String redisUri;

  @Option(names = "--model-url", description = "Default: the embedded replica.")
  private URI modelUrl;

  @Option(names = "--config", description = "HOCON whose keys override the defaults.")
  private Path config;

  @Option(names = "--state", required = true, description = "Where the node says it is ready.")
  private Path stateDirectory;

  @Option(
      names = "--parent",
      paramLabel = "PID",
      description = "Ends the node when that process ends, however it does.")
  private Long parent;

  @Override
  public Integer call() {
    StateDirectory state = StateDirectory.open(stateDirectory);
    NodeOptions options =
        new NodeOptions(
            name,
            host,
            port,
            seeds,
            clusterSize,
            redisUri,
            Optional.ofNullable(modelUrl),
            Optional.ofNullable(config));
    Config base = NodeConfig.base(options.configFile());
    try (Started started = new Started()) {
      Node node = started.add(Node.start(options, base));
      started.add(RedisServer.keep(state, base, redisUri, LOG::warn));
      ProcessHandle self = ProcessHandle.current();
      new NodeRecord(
              name, self.pid(), NodeRecord.startMillis(self), options.address(), node.replica())
          .write(state.nodeRecord(name));
      if (parent != null) {
        endWith(parent, node);
      }
      node.awaitTermination();
    }
    return ExitCode.OK.status();
  }

  /** A node that outlived its command would contend for the agents with the next command's. */
  private static void endWith(long pid, Node node) {
    ProcessHandle.of(pid)
        .map(ProcessHandle::onExit)
        .orElseGet(() -> CompletableFuture.completedFuture(null))
        .thenRun(() -> {
          LOG.warn("the command that started this node is gone; leaving");
          node.close();
        });
  }
}
