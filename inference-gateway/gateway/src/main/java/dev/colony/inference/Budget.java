package dev.colony.inference;

import java.math.BigDecimal;
import java.util.Optional;

/**
 * What may be spent; empty for no bound.
 *
 * @param tokens of prompts and replies, cached ones included
 * @param cost money in the unit of the prices
 */
public record Budget(Optional<Long> tokens, Optional<BigDecimal> cost) {

  public static final Budget UNLIMITED = new Budget(Optional.empty(), Optional.empty());

  public boolean bounded() {
    return tokens.isPresent() || cost.isPresent();
  }

  /** Which bound has been reached, for example {@code 10000 tokens}; empty if none has. */
  public Optional<String> reached(long spentTokens, BigDecimal spentCost) {
    return tokens
        .filter(most -> spentTokens >= most)
        .map(most -> most + " tokens")
        .or(() ->
            cost.filter(most -> spentCost.compareTo(most) >= 0)
                .map(most -> "a cost of " + most.toPlainString()));
  }
}
