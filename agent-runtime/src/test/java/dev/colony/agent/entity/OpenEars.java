package dev.colony.agent.entity;

import dev.colony.agent.EventBatch;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import dev.colony.agent.capability.EventHandler;

/** Handles all writes. */
@Registered(OpenEars.TYPE)
final class OpenEars extends AgentCapability {

  static final String TYPE = "test.open-ears";

  OpenEars(CapabilityContext context) {
    super(context);
  }

  @EventHandler(pattern = "*")
  void all(EventBatch.Event event) {}
}
