package dev.colony.server.node;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a node is started with.
 *
 * @param name names the node and its replica within the cluster
 * @param remoting where the other nodes reach it
 * @param clusterSize how many nodes must be there before any becomes a member
 * @param api the port of the HTTP API, 0 for a free one; empty where it serves none
 * @param redisUri for example {@code redis://127.0.0.1:6379}
 * @param modelUrl an OpenAI-compatible server; empty for the embedded replica
 * @param configFile HOCON whose keys override the defaults
 */
public record NodeOptions(
    String name,
    Listening remoting,
    Joining joining,
    int clusterSize,
    OptionalInt api,
    String redisUri,
    Optional<URI> modelUrl,
    Optional<Path> configFile) {

  /** The one node of a command, on loopback; it has no management and no API. */
  public static NodeOptions alone(
      String name, int port, String redisUri, Optional<URI> modelUrl, Optional<Path> configFile) {
    return new NodeOptions(
        name,
        Listening.at("127.0.0.1", port),
        new Joining.Alone(),
        1,
        OptionalInt.empty(),
        redisUri,
        modelUrl,
        configFile);
  }

  /** Where the other nodes reach it, {@code host:port}. */
  public String address() {
    return remoting.address().toString();
  }
}
