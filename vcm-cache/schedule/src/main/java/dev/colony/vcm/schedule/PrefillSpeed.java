package dev.colony.vcm.schedule;

/**
 * How fast a replica computes prompts. The linear layers take a time per token, attention one per
 * token and token before it.
 *
 * @param tokensPerSecond of a prompt without context, above 0
 * @param attentionTokens the context at which attention costs as much as all else, above 0;
 *     infinite where attention costs nothing
 */
public record PrefillSpeed(double tokensPerSecond, double attentionTokens) {

  public PrefillSpeed {
    if (!(tokensPerSecond > 0) || Double.isInfinite(tokensPerSecond)) {
      throw new IllegalArgumentException("tokensPerSecond must be above 0: " + tokensPerSecond);
    }
    if (!(attentionTokens > 0)) {
      throw new IllegalArgumentException("attentionTokens must be above 0: " + attentionTokens);
    }
  }

  /** Seconds for {@code uncached} tokens behind {@code cached} ones that need not be computed. */
  public double seconds(double uncached, double cached) {
    return uncached * (1 + (cached + uncached / 2) / attentionTokens) / tokensPerSecond;
  }
}
