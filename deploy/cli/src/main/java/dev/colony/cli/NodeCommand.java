package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.RedisServer;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.server.Started;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeSettings;
import java.nio.file.Files;
import java.nio.file.Path;
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
    description = {
      "Runs one node in the foreground until SIGTERM; up and run start nodes so.",
      "It is told by its environment (COLONY_NODE_...) and its configuration file, see"
          + " docs/reference/configuration.md."
    })
final class NodeCommand implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(NodeCommand.class);

  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "${env:COLONY_CONFIG}",
      description = "HOCON whose keys override environment and defaults (default: COLONY_CONFIG).")
  private String config;

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = "Where the node says that it is ready; up and run read it there.")
  private Path stateDirectory;

  @Option(
      names = "--parent",
      paramLabel = "PID",
      description = "Ends the node when that process ends, however it does.")
  private Long parent;

  @Override
  public Integer call() {
    Optional<Path> file = file();
    Config base = CommandConfig.base(file);
    NodeOptions options = NodeSettings.fromConfig(base, file).options();
    Optional<StateDirectory> state = Optional.ofNullable(stateDirectory).map(StateDirectory::open);
    try (Started started = new Started()) {
      Node node = started.add(Node.start(options, base));
      state.ifPresent(directory -> {
        started.add(RedisServer.keep(directory, base, options.redisUri(), LOG::warn));
        record(options, node).write(directory.nodeRecord(options.name()));
      });
      if (parent != null) {
        endWith(parent, node);
      }
      return (node.awaitTermination() ? ExitCode.OK : ExitCode.NODE_ENDED).status();
    }
  }

  private Optional<Path> file() {
    if (config == null || config.isBlank()) {
      return Optional.empty();
    }
    Path file = Path.of(config);
    if (!Files.isReadable(file)) {
      throw CommandFailure.badInput(
          "configuration: " + file + " cannot be read: see --config and COLONY_CONFIG");
    }
    return Optional.of(file);
  }

  private static NodeRecord record(NodeOptions options, Node node) {
    ProcessHandle self = ProcessHandle.current();
    return new NodeRecord(
        options.name(),
        self.pid(),
        NodeRecord.startMillis(self),
        options.address(),
        node.replica(),
        options.joining().management().map(own -> own.address().toString()).orElse(""),
        node.api());
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
