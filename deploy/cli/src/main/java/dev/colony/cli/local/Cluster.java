package dev.colony.cli.local;

import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.server.Started;
import dev.colony.vcm.PageStore;
import java.util.List;
import java.util.function.Supplier;

/** A cluster that a command may use, and what the command must end when it is done with it. */
public final class Cluster implements AutoCloseable {

  private final ClusterClient client;
  private final String redisUri;
  private final int nodes;
  private final List<ChildNode> children;
  private final Supplier<List<WaitingCalls>> waiting;
  private final Started owned;

  /**
   * Takes over what it owns.
   *
   * @param children the nodes that are child processes of this one
   * @param waiting asks the nodes for their model calls under way
   * @param owned ends what was started for the command, the client first
   */
  Cluster(
      ClusterClient client,
      String redisUri,
      int nodes,
      List<ChildNode> children,
      Supplier<List<WaitingCalls>> waiting,
      Started owned) {
    this.client = client;
    this.redisUri = redisUri;
    this.nodes = nodes;
    this.children = List.copyOf(children);
    this.waiting = waiting;
    this.owned = owned;
  }

  public Blackboards blackboards() {
    return client.blackboards();
  }

  public Colony colony() {
    return client.colony();
  }

  /** The same, which spawns agents that share something on one node. */
  public Colony colonyOf(String shared) {
    return client.colonyOf(shared);
  }

  /** Where other programs reach it. */
  public String redisUri() {
    return redisUri;
  }

  public PageStore pages() {
    return client.pages();
  }

  /** How many nodes it was started with. */
  public int nodes() {
    return nodes;
  }

  /**
   * The nodes' model calls that have no answer yet; of a node that does not answer, none. Blocks.
   */
  public List<WaitingCalls> waiting() {
    return waiting.get();
  }

  /** The nodes that are child processes of this one. */
  public List<ChildNode> children() {
    return children;
  }

  /** Ends what was started for this command and nothing else. Does nothing the second time. */
  @Override
  public void close() {
    owned.close();
  }
}
