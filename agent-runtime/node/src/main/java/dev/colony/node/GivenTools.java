package dev.colony.node;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.CapabilityBlueprint;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The objects whose tools the program of this process gives to its agents: these very objects are
 * called here, in place of others that a node would make by their classes. Thread-safe.
 */
public final class GivenTools {

  /** Objects at most, since they are kept until the node ends. */
  public static final int MOST = 100_000;

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
    Place place = new Place(agent, capability.capabilityKey());
    if (all.size() >= MOST && !all.containsKey(place)) {
      throw AgentException.refused(
          "this node has been given the tools of %d agents, as many as it takes: register the class"
              .formatted(MOST));
    }
    all.put(place, new Given(capability.what().type(), object));
  }

  /** The object that stands for a capability of an agent; empty where the node has to make it. */
  public Optional<Object> of(AgentId agent, CapabilityBlueprint capability) {
    return Optional.ofNullable(all.get(new Place(agent, capability.capabilityKey())))
        .filter(given -> given.type().equals(capability.what().type()))
        .map(Given::object);
  }
}
