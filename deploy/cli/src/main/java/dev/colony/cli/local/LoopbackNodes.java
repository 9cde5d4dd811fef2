package dev.colony.cli.local;

import dev.colony.agent.RunId;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Nodes on ports of loopback that find each other by the ports of their management.
 *
 * @param basePort of the first node's remoting, the others' follow; 0 for those they had, or free
 *     ones
 * @param api where the first node's HTTP API is looked for
 * @param known the nodes of these names that there were or are: each has the ports again that it
 *     had, where these are free, and those that live keep theirs
 */
public record LoopbackNodes(
    int basePort,
    Api api,
    List<NodeRecord> known,
    String redisUri,
    Optional<URI> modelUrl,
    Optional<Path> configFile) {

  private static final String HOST = "127.0.0.1";
  private static final int PORTS_OF_A_NODE = 3;

  /** The HTTP API of the nodes; those after the first have ports that they had, or free ones. */
  public sealed interface Api {

    record None() implements Api {}

    /** The first has the port that it had, else this one, else a free one; 0 for any. */
    record Usual(int port) implements Api {}

    /** The first has this port and no other. */
    record Asked(int port) implements Api {}
  }

  /** How long a node runs: beyond the process that started it or not, for one run or for any. */
  record Life(boolean detached, Optional<RunId> lone) {
    static final Life DETACHED = new Life(true, Optional.empty());
    static final Life ATTACHED = new Life(false, Optional.empty());
  }

  /** Nodes with free ports and the embedded replica, which serve no API. */
  public static LoopbackNodes withoutApi(String redisUri, Optional<Path> configFile) {
    return new LoopbackNodes(0, new Api.None(), List.of(), redisUri, Optional.empty(), configFile);
  }

  /**
   * So many nodes, {@code node-1} and so on, of which all must be there before any is a member.
   *
   * @throws CommandFailure if the port that was asked for is taken
   */
  public List<NodeOptions> options(int count) {
    Set<Integer> had =
        known.stream()
            .flatMapToInt(node ->
                IntStream.concat(
                    IntStream.of(port(node.address()), port(node.management())),
                    api(node).stream()))
            .boxed()
            .collect(Collectors.toSet());
    Iterator<Integer> free =
        LoopbackPorts.free(count * PORTS_OF_A_NODE + had.size()).stream()
            .filter(port -> !had.contains(port))
            .iterator();
    List<HostPort> contactPoints =
        IntStream.range(0, count)
            .mapToObj(
                i -> new HostPort(HOST, again(i, node -> port(node.management()), free.next())))
            .toList();
    List<NodeOptions> options = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int remoting =
          basePort == 0 ? again(i, node -> port(node.address()), free.next()) : basePort + i;
      options.add(
          new NodeOptions(
              name(i),
              Listening.at(HOST, remoting),
              new Joining.ContactPoints(
                  Listening.at(HOST, contactPoints.get(i).port()), contactPoints),
              count,
              apiPort(i, free.next()),
              redisUri,
              modelUrl,
              configFile));
    }
    return options;
  }

  private OptionalInt apiPort(int node, int free) {
    int again = again(node, record -> api(record).orElse(0), 0);
    return switch (api) {
      case Api.None none -> OptionalInt.empty();
      case Api.Asked asked when node == 0 && asked.port() != 0 -> {
        if (asked.port() != again && LoopbackPorts.ifFree(asked.port(), 0) == 0) {
          throw new CommandFailure(
              ExitCode.IN_USE,
              "COLONY_HTTP_PORT is %d, but that port is taken: free it, or give another"
                  .formatted(asked.port()));
        }
        yield OptionalInt.of(asked.port());
      }
      case Api.Usual usual when node == 0 && again == 0 ->
          OptionalInt.of(LoopbackPorts.ifFree(usual.port(), free));
      case Api.Asked other -> OptionalInt.of(again == 0 ? free : again);
      case Api.Usual other -> OptionalInt.of(again == 0 ? free : again);
    };
  }

  /** A port that the node has or had, unless another process has taken it. */
  private int again(int node, ToIntFunction<NodeRecord> port, int otherwise) {
    return known.stream()
        .filter(record -> record.name().equals(name(node)))
        .mapToInt(record -> {
          int had = port.applyAsInt(record);
          return record.process().isPresent() || had == 0 ? had : LoopbackPorts.ifFree(had, 0);
        })
        .filter(had -> had != 0)
        .findFirst()
        .orElse(otherwise);
  }

  private static String name(int node) {
    return "node-" + (node + 1);
  }

  private static OptionalInt api(NodeRecord node) {
    return node.api().isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(URI.create(node.api()).getPort());
  }

  /** 0 where there is none. */
  private static int port(String address) {
    return address.isEmpty()
        ? 0
        : Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }
}
