package dev.colony.inference.budget;

import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.util.Map;

/**
 * What the models' tokens cost.
 *
 * @param usual of models that are not named
 * @param models by their names in {@code colony.inference.models}
 */
public record PriceTable(Prices usual, Map<String, Prices> models) {

  public static final PriceTable FREE = new PriceTable(Prices.FREE, Map.of());

  public PriceTable {
    models = Map.copyOf(models);
  }

  /** The same for all models. */
  public static PriceTable of(Prices usual) {
    return new PriceTable(usual, Map.of());
  }

  /** Of a model; one without a name has the usual ones. */
  public Prices of(String model) {
    return models.getOrDefault(model, usual);
  }

  /** What a call took. */
  public Spend spend(String model, Usage usage) {
    return Spend.of(usage, cost(model, usage));
  }

  /** What tokens of a model cost; exact. */
  public BigDecimal cost(String model, Usage usage) {
    return of(model).of(usage);
  }

  /**
   * What a million tokens cost, in one unit of money; none is negative.
   *
   * @param prompt tokens that did not come from the prefix cache
   * @param cached tokens that did
   */
  public record Prices(BigDecimal prompt, BigDecimal cached, BigDecimal completion) {

    public static final Prices FREE = new Prices(BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO);

    private static final int MILLION_DIGITS = 6;
    private static final int MOST_DIGITS = 40;

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
      if (price.signum() < 0
          || price.precision() > MOST_DIGITS
          || Math.abs((long) price.scale()) > MOST_DIGITS) {
        throw new IllegalArgumentException(
            "%s is %s, but must be a decimal number of at most %d digits from 0 on"
                .formatted(name, price, MOST_DIGITS));
      }
    }
  }
}
