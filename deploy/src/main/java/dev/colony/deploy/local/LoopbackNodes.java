package dev.colony.deploy.local;

import dev.colony.deploy.node.HostPort;
import dev.colony.deploy.node.Joining;
import dev.colony.deploy.node.Listening;
import dev.colony.deploy.node.NodeOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Nodes on free ports of loopback that find each other by the ports of their management.
 *
 * @param basePort of the first node's remoting, the others' follow; 0 for free ones
 * @param api the port of the first node's HTTP API where it is free, 0 for a free one; the others'
 *     are free ones, and empty is for nodes that serve none
 */
public record LoopbackNodes(
    int basePort,
    OptionalInt api,
    String redisUri,
    Optional<URI> modelUrl,
    Optional<Path> configFile) {

  private static final String HOST = "127.0.0.1";
  private static final int PORTS_OF_A_NODE = 3;

  /** Nodes with free ports and the embedded replica, which serve no API. */
  public static LoopbackNodes withoutApi(String redisUri, Optional<Path> configFile) {
    return new LoopbackNodes(0, OptionalInt.empty(), redisUri, Optional.empty(), configFile);
  }

  /** So many nodes, {@code node-1} and so on, of which all must be there before any is a member. */
  public List<NodeOptions> options(int count) {
    List<Integer> free = LoopbackPorts.free(count * PORTS_OF_A_NODE);
    List<HostPort> contactPoints =
        free.subList(0, count).stream().map(port -> new HostPort(HOST, port)).toList();
    List<NodeOptions> options = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int remoting = basePort == 0 ? free.get(count + i) : basePort + i;
      options.add(
          new NodeOptions(
              "node-" + (i + 1),
              Listening.at(HOST, remoting),
              new Joining.ContactPoints(
                  Listening.at(HOST, contactPoints.get(i).port()), contactPoints),
              count,
              apiPort(i, free.get(2 * count + i)),
              redisUri,
              modelUrl,
              configFile));
    }
    return options;
  }

  private OptionalInt apiPort(int node, int free) {
    return api.isPresent() && node == 0
        ? OptionalInt.of(LoopbackPorts.ifFree(api.getAsInt(), free))
        : api.stream().map(given -> free).findFirst();
  }
}
