package dev.colony.agent.bench;

import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.ActionExecutor;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;

/** A capability whose one action returns what it is given. */
@Registered(StepNotes.TYPE)
final class StepNotes extends AgentCapability {

  static final String TYPE = "bench.notes";
  static final String NOTE = TYPE + ".note";

  StepNotes(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(summary = "Notes a step.")
  int note(int step) {
    return step;
  }
}
