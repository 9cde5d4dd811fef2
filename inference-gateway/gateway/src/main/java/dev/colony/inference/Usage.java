package dev.colony.inference;

/**
 * Tokens of one or more calls, as the server reported them.
 *
 * @param promptTokens all tokens of the prompts, cached ones included
 * @param cachedTokens those of them that came from the prefix cache
 */
public record Usage(long promptTokens, long cachedTokens, long completionTokens) {

  public static final Usage NONE = new Usage(0, 0, 0);

  public Usage plus(Usage other) {
    return new Usage(
        promptTokens + other.promptTokens,
        cachedTokens + other.cachedTokens,
        completionTokens + other.completionTokens);
  }
}
