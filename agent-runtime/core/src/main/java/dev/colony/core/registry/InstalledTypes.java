package dev.colony.core.registry;

import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintBinder;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;

/** {@link AgentTypes#installed} for modules that know only the interface. */
public final class InstalledTypes implements BlueprintBinder {

  /** For {@link java.util.ServiceLoader}. */
  public InstalledTypes() {}

  @Override
  public Blueprint bind(Class<?> type, Object args) {
    return AgentTypes.installed().bind(type, args);
  }

  @Override
  public Blueprint bind(Class<?> type) {
    return AgentTypes.installed().bind(type);
  }

  @Override
  public void check(StreamBlueprint stream) {
    AgentTypes.installed().check(stream);
  }

  @Override
  public void check(CapabilityBlueprint capability) {
    AgentTypes.installed().checkActions(capability);
  }
}
