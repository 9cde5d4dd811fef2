package dev.colony.cli.local;

import dev.colony.server.node.NodeOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Nodes in JVMs of their own that are ended and started again one by one, as the operator of a
 * cluster does it. Thread-safe, as long as each node is treated by one thread at a time. The
 * methods block.
 */
public final class RestartableNodes implements AutoCloseable {

  private static final Duration READY_TIMEOUT = Duration.ofMinutes(4);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(20);

  private final StateDirectory state;
  private final Map<String, NodeOptions> options = new LinkedHashMap<>();
  private final Map<String, ChildNode> nodes = new LinkedHashMap<>();

  private RestartableNodes(StateDirectory state) {
    this.state = state;
  }

  /**
   * Starts them all and waits until all are members; they end with this process.
   *
   * @param state where they say that they are ready, and where their logs are
   * @throws dev.colony.cli.terminal.CommandFailure if one does not start; none is left then
   */
  public static RestartableNodes start(StateDirectory state, List<NodeOptions> options) {
    RestartableNodes started = new RestartableNodes(state);
    try {
      for (NodeOptions one : options) {
        started.options.put(one.name(), one);
        started.nodes.put(one.name(), ChildNode.start(one, state, false));
      }
      ChildNode.awaitReady(List.copyOf(started.nodes.values()), READY_TIMEOUT);
      return started;
    } catch (RuntimeException failure) {
      started.close();
      throw failure;
    }
  }

  public synchronized List<String> names() {
    return List.copyOf(options.keySet());
  }

  /** Starts one more node, of a name that none of them has; returns at once. */
  public synchronized void add(NodeOptions more) {
    if (options.containsKey(more.name())) {
      throw new IllegalArgumentException("there is a node " + more.name() + " already");
    }
    options.put(more.name(), more);
    nodes.put(more.name(), ChildNode.start(more, state, false));
  }

  /** The process of a node, which may have ended. */
  public synchronized ProcessHandle process(String name) {
    return nodes.get(name).process();
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill(String name) {
    ProcessHandle process = process(name);
    process.destroyForcibly();
    process.onExit().join();
  }

  /** SIGTERM, which lets it leave the cluster; returns at once. */
  public void terminate(String name) {
    process(name).destroy();
  }

  /**
   * Starts a node whose process has ended, at the address that it had. Returns at once. It joins
   * the others, and as long as it reaches none of them it is no member of anything.
   */
  public synchronized void restart(String name) {
    nodes.put(name, ChildNode.start(options.get(name), state, false));
  }

  /**
   * Waits until a node that was restarted is a member and hosts agents.
   *
   * @throws dev.colony.cli.terminal.CommandFailure if it ends before that, or does not get there in
   *     time
   */
  public void awaitReady(String name) {
    ChildNode node;
    synchronized (this) {
      node = nodes.get(name);
    }
    ChildNode.awaitReady(List.of(node), READY_TIMEOUT);
  }

  /** Ends them all. */
  @Override
  public void close() {
    List<ProcessHandle> left;
    synchronized (this) {
      left = nodes.values().stream().map(ChildNode::process).toList();
    }
    ChildNode.stop(left, STOP_PATIENCE);
  }
}
