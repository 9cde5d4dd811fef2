package dev.colony.testkit.load;

import dev.colony.agent.author.TypeProvider;

/** Registers what the benchmark's agents are made of. */
public final class BenchTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(ScriptedSteps.class);
    types.add(StepNotes.class);
  }
}
