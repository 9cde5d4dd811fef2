package dev.colony.server.node;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import dev.colony.node.runtime.AgentRuntime.OutstandingAgents;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

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

  public sealed interface Joining {

    /** It forms one by itself, at once, and no node will join: the one node of a command. */
    record Alone() implements Joining {}

    /**
     * It asks known nodes.
     *
     * @param own where its management listens
     * @param contactPoints where management listens on the nodes, this one among them
     */
    record ContactPoints(Listening own, List<HostPort> contactPoints) implements Joining {
      public ContactPoints {
        contactPoints = List.copyOf(contactPoints);
      }
    }

    /**
     * It asks the API server of Kubernetes for the other pods, and those.
     *
     * @param own where its management listens
     */
    record KubernetesApi(Listening own) implements Joining {}

    /** Where the node's management listens; empty where it has none. */
    default Optional<Listening> management() {
      return switch (this) {
        case Alone alone -> Optional.empty();
        case ContactPoints points -> Optional.of(points.own());
        case KubernetesApi pods -> Optional.of(pods.own());
      };
    }
  }

  /** Which of the agents that an earlier cluster left with work do not go on by themselves. */
  @FunctionalInterface
  public interface LeftWork {

    /** All of them go on. */
    LeftWork GOES_ON = (left, blackboards) -> Set.of();

    /**
     * The agents that wait. The node asks again before each time that it wakes agents; the call may
     * block, and fails as the blackboard does.
     *
     * @param left all that still have such work
     */
    Set<AgentId> waiting(Set<AgentId> left, Blackboards blackboards);

    /** All agents with work but those. */
    default OutstandingAgents among(OutstandingAgents all, Blackboards blackboards) {
      return this == GOES_ON ? all : all.withoutLeft(left -> waiting(left, blackboards));
    }
  }

  /**
   * A port of a node.
   *
   * @param address where the others reach it
   * @param bindHost the address that it listens at, with the same port; mostly the one of the
   *     former
   */
  public record Listening(HostPort address, String bindHost) {

    public static Listening at(String host, int port) {
      return new Listening(new HostPort(host, port), host);
    }

    /** Whether it listens at another address than the one that the others know. */
    boolean boundElsewhere() {
      return !bindHost.equals(address.host());
    }
  }

  /**
   * Where something listens.
   *
   * @param port 1 to 65535
   */
  public record HostPort(String host, int port) {

    private static final int HIGHEST = 65_535;

    public HostPort {
      if (host.isBlank() || port < 1 || port > HIGHEST) {
        throw new IllegalArgumentException("but must be host:port with a port of 1 to " + HIGHEST);
      }
    }

    /**
     * Reads {@code host:port}.
     *
     * @throws IllegalArgumentException saying what it must be
     */
    static HostPort parse(String text) {
      int colon = text.lastIndexOf(':');
      try {
        return new HostPort(
            text.substring(0, Math.max(0, colon)), Integer.parseInt(text.substring(colon + 1)));
      } catch (NumberFormatException none) {
        throw new IllegalArgumentException("but must be host:port", none);
      }
    }

    @Override
    public String toString() {
      return host + ":" + port;
    }
  }
}
