package dev.colony.agent;

import dev.colony.blackboard.Blackboards;
import dev.colony.inference.InferenceGateway;
import dev.colony.vcm.PageStore;

/** What the owning node offers to an agent's capabilities. */
public record CapabilityContext(AgentId agent, AgentBlueprint blueprint, Services services) {

  public Blackboards blackboards() {
    return services.get(Blackboards.class);
  }

  public InferenceGateway inference() {
    return services.get(InferenceGateway.class);
  }

  public PageStore pages() {
    return services.get(PageStore.class);
  }

  /** To spawn and run other agents. */
  public Colony colony() {
    return services.get(Colony.class);
  }
}
