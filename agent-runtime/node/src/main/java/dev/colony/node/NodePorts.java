package dev.colony.node;

import dev.colony.agent.AgentException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

public final class NodePorts {

  private static final NodePorts NONE = new NodePorts(Map.of());

  private final Map<Class<?>, Object> byPort;

  private NodePorts(Map<Class<?>, Object> byPort) {
    this.byPort = byPort;
  }

  public static NodePorts none() {
    return NONE;
  }

  /** These services and one more; it replaces one of the same port. */
  public <T> NodePorts with(Class<T> port, T service) {
    Map<Class<?>, Object> more = new HashMap<>(byPort);
    more.put(port, port.cast(service));
    return new NodePorts(Map.copyOf(more));
  }

  public <T> Optional<T> find(Class<T> port) {
    return Optional.ofNullable(port.cast(byPort.get(port)));
  }

  /**
   * The service of a port.
   *
   * @throws AgentException if this node does not offer it
   */
  public <T> T get(Class<T> port) {
    return find(port)
        .orElseThrow(() -> AgentException.refused("this node offers no " + port.getSimpleName()));
  }
}
