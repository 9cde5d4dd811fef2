package dev.colony.examples;

import dev.colony.agent.author.TypeProvider;
import dev.colony.examples.coordinator.CoordinatorPolicy;
import dev.colony.examples.coordinator.TextsCapability;
import dev.colony.examples.coordinator.WordsCapability;
import dev.colony.examples.impact.ImpactPolicy;
import dev.colony.examples.review.TreeCapability;

/** The types of all examples. */
public final class ExampleTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(ChatCapability.class);
    types.add(TextsCapability.class);
    types.add(WordsCapability.class);
    types.add(CoordinatorPolicy.class);
    types.add(TreeCapability.class);
    types.add(ImpactPolicy.class);
  }
}
