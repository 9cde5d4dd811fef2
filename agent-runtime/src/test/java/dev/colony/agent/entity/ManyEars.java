package dev.colony.agent.entity;

import dev.colony.agent.EventBatch;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import dev.colony.agent.capability.EventHandler;

/** Handles as many patterns as a capability may have, and as the blackboard takes of an agent. */
@Registered(ManyEars.TYPE)
final class ManyEars extends AgentCapability {

  static final String TYPE = "test.many-ears";

  ManyEars(CapabilityContext context) {
    super(context);
  }

  @EventHandler(
      pattern = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"})
  void all(EventBatch.Event event) {}
}
