package dev.colony.agent.bench;

import dev.colony.agent.TypeProvider;

/** Registers what the benchmark's agents are made of. */
public final class BenchTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.policy(ScriptedSteps.TYPE, ScriptedSteps::of);
    types.capability(StepNotes.TYPE, (args, context) -> new StepNotes());
  }
}
