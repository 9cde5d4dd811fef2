package dev.colony.cli.local;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.server.node.HostPort;
import dev.colony.server.node.Joining;
import dev.colony.server.node.Listening;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a node of this machine is told by its environment. Names and meanings stand in {@code
 * reference.conf}. Every variable is set, so that none is inherited that was meant for others.
 */
final class NodeEnvironment {

  /** What is decided for each node; a file, which goes for all of them, must leave it open. */
  private static final List<String> DECIDED =
      List.of(
          "colony.node.name",
          "colony.node.host",
          "colony.node.bind-host",
          "colony.node.port",
          "colony.node.redis-url",
          "colony.node.model-url",
          "colony.node.cluster-size",
          "colony.node.discovery",
          "colony.node.contact-points",
          "colony.node.management",
          "colony.http.port");

  /** Weaker than a file. */
  private static final String GRACE = "COLONY_AGENT_MODEL_CALL_GRACE";

  private NodeEnvironment() {}

  static Map<String, String> of(NodeOptions options) {
    Map<String, String> variables = new HashMap<>();
    variables.put("COLONY_NODE_NAME", options.name());
    variables.put("COLONY_NODE_HOST", options.remoting().address().host());
    variables.put("COLONY_NODE_BIND_HOST", options.remoting().bindHost());
    variables.put("COLONY_NODE_PORT", Integer.toString(options.remoting().address().port()));
    variables.put("COLONY_REDIS_URL", options.redisUri());
    variables.put("COLONY_MODEL_URL", options.modelUrl().map(URI::toString).orElse(""));
    variables.put("COLONY_CLUSTER_SIZE", Integer.toString(options.clusterSize()));
    variables.put("COLONY_HTTP_ENABLED", Boolean.toString(options.api().isPresent()));
    options.api().ifPresent(port -> variables.put("COLONY_HTTP_PORT", Integer.toString(port)));
    variables.put("COLONY_CONFIG", options.configFile().map(Path::toString).orElse(""));
    variables.put(GRACE, System.getenv().getOrDefault(GRACE, "0s"));
    variables.putAll(joining(options.joining()));
    return variables;
  }

  private static Map<String, String> joining(Joining joining) {
    return switch (joining) {
      case Joining.ContactPoints known -> {
        Map<String, String> variables = new HashMap<>(management(known.own()));
        variables.put("COLONY_NODE_DISCOVERY", "config");
        variables.put(
            "COLONY_NODE_CONTACT_POINTS",
            known.contactPoints().stream()
                .map(HostPort::toString)
                .collect(Collectors.joining(",")));
        yield variables;
      }
      case Joining.KubernetesApi pods -> {
        Map<String, String> variables = new HashMap<>(management(pods.own()));
        variables.put("COLONY_NODE_DISCOVERY", "kubernetes-api");
        yield variables;
      }
      case Joining.Alone alone ->
          throw new IllegalArgumentException("a node of a process of its own has a management");
    };
  }

  private static Map<String, String> management(Listening own) {
    return Map.of(
        "COLONY_MANAGEMENT_HOST", own.address().host(),
        "COLONY_MANAGEMENT_BIND_HOST", own.bindHost(),
        "COLONY_MANAGEMENT_PORT", Integer.toString(own.address().port()));
  }

  /**
   * Refuses a file that would give all nodes the same name or port.
   *
   * @throws CommandFailure naming the first such key
   */
  static void check(Optional<Path> configFile) {
    configFile.ifPresent(file -> {
      Config given = parsed(file);
      DECIDED.stream()
          .filter(given::hasPathOrNull)
          .findFirst()
          .ifPresent(key -> {
            throw new CommandFailure(
                ExitCode.BAD_INPUT,
                "%s sets %s, which is decided for each node that is started here: leave it out"
                    .formatted(file, key));
          });
    });
  }

  private static Config parsed(Path file) {
    try {
      return NodeConfig.parsed(file);
    } catch (ConfigException bad) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "configuration: " + bad.getMessage(), bad);
    }
  }
}
