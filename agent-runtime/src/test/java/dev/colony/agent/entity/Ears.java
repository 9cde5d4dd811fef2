package dev.colony.agent.entity;

import dev.colony.agent.EventBatch;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import dev.colony.agent.capability.EventHandler;

/** Handles alarms. */
@Registered(Ears.TYPE)
final class Ears extends AgentCapability {

  static final String TYPE = "test.ears";

  Ears(CapabilityContext context) {
    super(context);
  }

  @EventHandler(pattern = "alarm:*")
  String alarm(EventBatch.Event event) {
    return event.key();
  }
}
