package dev.colony.inference.openai;

import dev.colony.inference.InferenceException;
import dev.colony.inference.Usage;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** How one attempt at a model call ended. */
public sealed interface Attempt {

  /**
   * The model replied, as the schema demands where there is one.
   *
   * @param usage of all exchanges of the attempt, a repair included
   * @param cachedTokens of the first exchange; empty where the server does not report them
   */
  record Answered(String text, Usage usage, OptionalLong cachedTokens) implements Attempt {}

  /**
   * It failed.
   *
   * @param retryAfter how long the server asked to be left alone
   * @param overloaded whether it failed for nothing but that the server has too much to do: status
   *     429 or 503
   */
  record Failed(InferenceException failure, Optional<Duration> retryAfter, boolean overloaded)
      implements Attempt {}
}
