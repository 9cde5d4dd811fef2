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
}
