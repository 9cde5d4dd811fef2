package dev.colony.client.spend;

import dev.colony.inference.Budget;
import dev.colony.inference.budget.Spend;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/**
 * What the model calls of a tenant have taken, and what they may take yet.
 *
 * @param period which is counted, by UTC: a month {@code 2026-11}, a day {@code 2026-11-24}, or
 *     {@code total}
 * @param endsAt when the next period begins, in which nothing is spent; absent where the budget is
 *     not for a period
 * @param inPeriod what all calls of the tenant have taken in it
 * @param session what those of the session have taken that was asked for, from its beginning on;
 *     absent where none was
 */
public record TenantSpending(
    String tenant,
    String period,
    Optional<Instant> endsAt,
    BudgetUse inPeriod,
    Optional<BudgetUse> session) {

  /**
   * How much of a budget is used. Calls under way are not counted before they have ended, although
   * what they may take is held back for them.
   *
   * @param spent by completions that have ended
   * @param limit what may be spent; a bound that there is not is absent
   * @param remaining of each bound what is left, at least 0
   */
  public record BudgetUse(Spend spent, Budget limit, Budget remaining) {

    static BudgetUse of(Spend spent, Budget limit) {
      return new BudgetUse(
          spent,
          limit,
          new Budget(
              limit.tokens().map(most -> Math.max(0, most - spent.tokens())),
              limit.cost().map(most -> left(most.subtract(spent.cost())))));
    }

    private static BigDecimal left(BigDecimal amount) {
      return amount.max(BigDecimal.ZERO).stripTrailingZeros();
    }
  }
}
