package dev.colony.node;

import dev.colony.agent.AgentException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The services of a node, found by their port's type. Immutable. */
public final class Services {

  private static final Services NONE = new Services(Map.of());

  private final Map<Class<?>, Object> byPort;

  private Services(Map<Class<?>, Object> byPort) {
    this.byPort = byPort;
  }

  public static Services none() {
    return NONE;
  }

  /** These services and one more; it replaces one of the same port. */
  public <T> Services with(Class<T> port, T service) {
    Map<Class<?>, Object> more = new HashMap<>(byPort);
    more.put(port, port.cast(service));
    return new Services(Map.copyOf(more));
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
