package dev.colony.inference.provider;

import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceException;
import dev.colony.inference.ToolCall;
import dev.colony.inference.Usage;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** How one attempt at a model call ended. */
public sealed interface Attempt {

  /**
   * The model replied, as the call's form demands.
   *
   * @param usage of all exchanges of the attempt, a repair included
   * @param cachedTokens of the first exchange; empty where the server does not report them
   * @param model by the server's name
   * @param firstToken from sending the last exchange to the first part of its reply
   */
  record Answered(
      String text,
      List<ToolCall> toolCalls,
      String reasoning,
      FinishReason finish,
      Usage usage,
      OptionalLong cachedTokens,
      String model,
      Duration firstToken)
      implements Attempt {}

  /** It failed. */
  record Failed(InferenceException failure) implements Attempt {

    /** Whether it failed for nothing but that the server has too much to do. */
    public boolean overloaded() {
      return failure.kind() == InferenceException.Kind.OVERLOADED;
    }
  }
}
