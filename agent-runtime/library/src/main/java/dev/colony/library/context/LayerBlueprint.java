package dev.colony.library.context;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.Blueprint;
import java.util.Objects;
import java.util.Optional;

/**
 * A layer as part of a role.
 *
 * @param slot names the place within the role, for example {@code discussion}
 * @param layer a registered {@link ContextLayer}
 * @param tokens what the section may take, 16 to 10,000,000; empty for as much as it needs
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record LayerBlueprint(String slot, Blueprint layer, Optional<Integer> tokens) {

  public LayerBlueprint {
    Objects.requireNonNull(slot, "slot");
    Objects.requireNonNull(layer, "layer");
    tokens = tokens == null ? Optional.empty() : tokens;
    tokens
        .filter(most -> most < 16 || most > 10_000_000)
        .ifPresent(most -> {
          throw new IllegalArgumentException(
              "the budget of " + slot + " is " + most + " tokens, but must be 16 to 10000000");
        });
  }
}
