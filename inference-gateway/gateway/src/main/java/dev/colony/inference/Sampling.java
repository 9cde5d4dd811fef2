package dev.colony.inference;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How a model chooses its words. What is empty is left to the server, and what a server does not
 * take is left out.
 *
 * @param temperature 0 to 2
 * @param topP above 0, at most 1
 * @param stop texts that end the reply and are no part of it; at most 4
 * @param effort how long a model that can reason may do so
 */
public record Sampling(
    OptionalDouble temperature,
    OptionalDouble topP,
    OptionalLong seed,
    List<String> stop,
    Optional<ReasoningEffort> effort) {

  /** How long a model reasons before it replies. */
  public enum ReasoningEffort {
    MINIMAL,
    LOW,
    MEDIUM,
    HIGH
  }

  /** The most likely words: temperature 0. */
  public static final Sampling GREEDY =
      new Sampling(
          OptionalDouble.of(0),
          OptionalDouble.empty(),
          OptionalLong.empty(),
          List.of(),
          Optional.empty());

  public Sampling {
    stop = List.copyOf(stop);
  }
}
