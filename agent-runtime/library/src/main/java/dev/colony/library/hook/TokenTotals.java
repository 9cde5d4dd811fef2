package dev.colony.library.hook;

import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;

/**
 * What model calls took.
 *
 * @param usage as the servers reported it
 */
public record TokenTotals(long calls, Usage usage) {

  public static final TokenTotals NONE = new TokenTotals(0, Usage.NONE);

  /** Prompt and completion tokens, cached ones included: what budgets are held against. */
  public long tokens() {
    return usage.promptTokens() + usage.completionTokens();
  }

  TokenTotals plus(TokenTotals other) {
    return new TokenTotals(calls + other.calls, usage.plus(other.usage));
  }

  TokenTotals plus(InferenceReply reply) {
    return new TokenTotals(calls + 1, usage.plus(reply.usage()));
  }
}
