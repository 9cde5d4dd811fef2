package dev.colony.server.agents;

import dev.colony.agent.AgentException;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.AgentCapability;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.AgentTypes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A capability of an agent and the actions that its class declares.
 *
 * @param active whether the policy uses it
 * @param actions empty where {@code unknown} says why they are not known
 * @param unknown why the type cannot be looked at here
 */
public record ShownCapability(
    String key,
    String type,
    int version,
    boolean active,
    List<ActionDescription> actions,
    Optional<String> unknown) {

  static ShownCapability of(
      CapabilityBlueprint blueprint, boolean active, AgentTypes types, Duration usualTimeout) {
    List<ActionDescription> actions = List.of();
    Optional<String> unknown = Optional.empty();
    try {
      actions =
          CapabilityType.of(types.find(AgentCapability.class, blueprint.what()))
              .actions(blueprint.capabilityKey(), usualTimeout);
    } catch (AgentException notHere) {
      unknown = Optional.of(notHere.getMessage());
    }
    return new ShownCapability(
        blueprint.capabilityKey(),
        blueprint.what().type(),
        blueprint.what().version(),
        active,
        actions,
        unknown);
  }
}
