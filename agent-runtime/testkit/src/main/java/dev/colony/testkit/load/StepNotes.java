package dev.colony.testkit.load;

import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Registered;

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
