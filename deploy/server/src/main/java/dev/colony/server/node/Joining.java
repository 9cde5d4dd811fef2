package dev.colony.server.node;

import java.util.List;
import java.util.Optional;

/** How a node comes into a cluster. */
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
