package dev.colony.inference.budget;

import dev.colony.inference.Usage;
import java.math.BigDecimal;

/**
 * What calls took.
 *
 * @param cost in the unit of the prices; without trailing zeros
 */
public record Spend(long calls, Usage usage, BigDecimal cost) {

  public static final Spend NONE = new Spend(0, Usage.NONE, BigDecimal.ZERO);

  public Spend {
    cost = cost.signum() == 0 ? BigDecimal.ZERO : cost.stripTrailingZeros();
  }

  /** Of one call. */
  public static Spend of(Usage usage, BigDecimal cost) {
    return new Spend(1, usage, cost);
  }

  /** Prompt and completion tokens, cached ones included: what budgets are held against. */
  public long tokens() {
    return usage.promptTokens() + usage.completionTokens();
  }

  public Spend plus(Spend other) {
    return new Spend(calls + other.calls, usage.plus(other.usage), cost.add(other.cost));
  }

  public Spend minus(Spend other) {
    Usage less = other.usage;
    return plus(
        new Spend(
            -other.calls,
            new Usage(-less.promptTokens(), -less.cachedTokens(), -less.completionTokens()),
            other.cost.negate()));
  }
}
