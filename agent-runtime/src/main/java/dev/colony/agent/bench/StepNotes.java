package dev.colony.agent.bench;

import dev.colony.agent.ActionExecutor;
import dev.colony.agent.AgentCapability;
import java.util.Map;

/** A capability whose one action returns what it is given. */
final class StepNotes implements AgentCapability {

  static final String TYPE = "bench.notes";
  static final String NOTE = "bench.note";

  @Override
  public Map<String, ActionExecutor> actions() {
    return Map.of(NOTE, (context, step) -> step);
  }
}
