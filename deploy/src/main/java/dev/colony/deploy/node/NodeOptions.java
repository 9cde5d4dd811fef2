package dev.colony.deploy.node;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a node is started with.
 *
 * @param name names the node and its replica within the cluster
 * @param host the address that the other nodes reach it at
 * @param port of remoting
 * @param seeds {@code host:port} of the nodes to join through; the first forms the cluster
 * @param clusterSize how many nodes must be there before any becomes a member
 * @param redisUri for example {@code redis://127.0.0.1:6379}
 * @param modelUrl an OpenAI-compatible server; empty for the embedded replica
 * @param configFile HOCON whose keys override all others
 */
public record NodeOptions(
    String name,
    String host,
    int port,
    List<String> seeds,
    int clusterSize,
    String redisUri,
    Optional<URI> modelUrl,
    Optional<Path> configFile) {

  public NodeOptions {
    seeds = List.copyOf(seeds);
  }

  public String address() {
    return host + ":" + port;
  }
}
