package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a cluster is started with; shared by the commands that start one. */
final class ClusterOptions {

  private static final int MOST_NODES = 16;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      description = "How many nodes, 1 to 16, each a JVM of its own from 2 on (default: 1).")
  private Integer nodes;

  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description =
          "An OpenAI-compatible server, for example http://gpu-1:8000/v1; default: the embedded "
              + "replica, a lexical model that is no neural network.")
  private String modelUrl;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "HOCON whose keys override the defaults of the reference.conf files.")
  private Path config;

  boolean nodesGiven() {
    return nodes != null;
  }

  boolean modelGiven() {
    return modelUrl != null;
  }

  int nodes() {
    int wanted = nodes == null ? 1 : nodes;
    if (wanted < 1 || wanted > MOST_NODES) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "--nodes is %d, but must be 1 to %d".formatted(wanted, MOST_NODES));
    }
    return wanted;
  }

  Optional<URI> modelUrl() {
    return ModelCheck.url(modelUrl);
  }

  Optional<Path> config() {
    if (config != null && !Files.isReadable(config)) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--config " + config + ": cannot be read");
    }
    return Optional.ofNullable(config);
  }
}
