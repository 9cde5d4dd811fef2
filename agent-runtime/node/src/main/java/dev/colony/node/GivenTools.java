package dev.colony.node;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.stream.ConsciousnessStream;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The objects whose tools the program of this process gives to its agents, and its hooks and
 * streams: these very objects are called here, in place of others that a node would make by their
 * classes. Thread-safe.
 */
public final class GivenTools {

  /** Objects at most, since they are kept until the node ends. */
  public static final int MOST = 100_000;

  /** No capability's key begins so. */
  private static final String STREAM = "stream ";

  private record Place(AgentId agent, String capability) {}

  private record Given(String type, Object object) {}

  private final Map<Place, Given> all = new ConcurrentHashMap<>();

  /**
   * Gives an agent an object, in place of what it had for the capability.
   *
   * @param capability as {@link dev.colony.agent.BlueprintBinder#tools} binds the object
   * @throws AgentException on one line, if there are {@value #MOST} already
   */
  public void give(AgentId agent, CapabilityBlueprint capability, Object object) {
    give(new Place(agent, capability.capabilityKey()), capability.what().type(), object);
  }

  /** Gives an agent a stream, in place of what it had under that name. */
  public void give(AgentId agent, StreamBlueprint stream, ConsciousnessStream object) {
    give(new Place(agent, STREAM + stream.name()), stream.formatter().type(), object);
  }

  private void give(Place place, String type, Object object) {
    if (all.size() >= MOST && !all.containsKey(place)) {
      throw AgentException.refused(
          "this node has been given the tools of %d agents, as many as it takes: register the class"
              .formatted(MOST));
    }
    all.put(place, new Given(type, object));
  }

  /** The object that stands for a capability of an agent; empty where the node has to make it. */
  public Optional<Object> of(AgentId agent, CapabilityBlueprint capability) {
    return of(new Place(agent, capability.capabilityKey()), capability.what().type());
  }

  /** The stream that was given under its name. */
  public Optional<ConsciousnessStream> of(AgentId agent, StreamBlueprint stream) {
    return of(new Place(agent, STREAM + stream.name()), stream.formatter().type())
        .map(ConsciousnessStream.class::cast);
  }

  private Optional<Object> of(Place place, String type) {
    return Optional.ofNullable(all.get(place))
        .filter(given -> given.type().equals(type))
        .map(Given::object);
  }
}
