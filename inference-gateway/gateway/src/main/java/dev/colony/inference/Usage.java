package dev.colony.inference;

/**
 * Tokens of one or more calls, as the server reported them.
 *
 * @param promptTokens all tokens of the prompts, cached ones included
 * @param cachedTokens those of them that came from the prefix cache
 * @param completionTokens all tokens of the replies, reasoning included
 * @param reasoningTokens those of them that the model reasoned with
 */
public record Usage(
    long promptTokens, long cachedTokens, long completionTokens, long reasoningTokens) {

  public static final Usage NONE = new Usage(0, 0, 0, 0);

  /** Without reasoning. */
  public Usage(long promptTokens, long cachedTokens, long completionTokens) {
    this(promptTokens, cachedTokens, completionTokens, 0);
  }

  /** The same with so many of the prompt's tokens from the cache. */
  public Usage cached(long tokens) {
    return new Usage(promptTokens, tokens, completionTokens, reasoningTokens);
  }

  public Usage plus(Usage other) {
    return new Usage(
        promptTokens + other.promptTokens,
        cachedTokens + other.cachedTokens,
        completionTokens + other.completionTokens,
        reasoningTokens + other.reasoningTokens);
  }
}
