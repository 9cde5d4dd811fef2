package dev.colony.inference.budget;

import dev.colony.inference.Usage;
import java.math.BigDecimal;

/**
 * What a million tokens cost, in one unit of money; none is negative.
 *
 * @param prompt tokens that did not come from the prefix cache
 * @param cached tokens that did
 */
public record Prices(BigDecimal prompt, BigDecimal cached, BigDecimal completion) {

  public static final Prices FREE = new Prices(BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO);

  private static final int MILLION_DIGITS = 6;

  public Prices {
    check("prompt", prompt);
    check("cached", cached);
    check("completion", completion);
  }

  /** What these tokens cost; exact. */
  public BigDecimal of(Usage usage) {
    return prompt
        .multiply(BigDecimal.valueOf(usage.promptTokens() - usage.cachedTokens()))
        .add(cached.multiply(BigDecimal.valueOf(usage.cachedTokens())))
        .add(completion.multiply(BigDecimal.valueOf(usage.completionTokens())))
        .movePointLeft(MILLION_DIGITS);
  }

  private static void check(String name, BigDecimal price) {
    if (price.signum() < 0) {
      throw new IllegalArgumentException("the price of " + name + " tokens is " + price);
    }
  }
}
