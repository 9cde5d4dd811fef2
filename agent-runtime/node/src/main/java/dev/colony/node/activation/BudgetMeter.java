package dev.colony.node.activation;

import dev.colony.agent.AgentException;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunStats;
import dev.colony.inference.Budget;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.PriceTable;
import java.math.BigDecimal;
import java.util.Optional;

/** What a run has spent on model calls, those of the step that is under way included. */
final class BudgetMeter {

  private final RunBudget budget;
  private final PriceTable prices;
  private long tokens;
  private BigDecimal cost;

  /**
   * @param budget that holds for the run
   * @param before what its journaled steps and replies took
   */
  BudgetMeter(RunBudget budget, PriceTable prices, RunStats before) {
    this.budget = budget;
    this.prices = prices;
    this.tokens = tokens(before.usage());
    this.cost = before.cost();
  }

  /**
   * Lets another call be made.
   *
   * @throws AgentException if the budget is used up and no person is asked for more: then the run
   *     is suspended behind the step, and an action that has begun is not spoilt
   */
  synchronized void check() {
    if (budget.whenSpent() == RunBudget.WhenSpent.SUSPEND) {
      return;
    }
    Optional<String> over =
        budget.tokens().filter(most -> tokens >= most).isPresent()
            ? Optional.of(tokens + " tokens; it may take " + budget.tokens().get())
            : budget
                .cost()
                .filter(most -> cost.compareTo(most) >= 0)
                .map(most -> "a cost of " + cost.toPlainString() + "; it may take " + most);
    over.ifPresent(how -> {
      throw AgentException.refused("the run took " + how);
    });
  }

  /** What the gateway holds the run to; nothing where a person may grant more. */
  Budget budget() {
    return budget.whenSpent() == RunBudget.WhenSpent.SUSPEND
        ? Budget.UNLIMITED
        : new Budget(budget.tokens(), budget.cost());
  }

  /** Whether tokens or money are bounded, so that each call counts as soon as it begins. */
  boolean bounded() {
    return budget.tokens().isPresent() || budget.cost().isPresent();
  }

  /**
   * Counts a call.
   *
   * @param model its name in {@code colony.inference.models}; empty for the one that has none
   */
  synchronized void add(String model, Usage usage) {
    tokens += tokens(usage);
    cost = cost.add(prices.cost(model, usage));
  }

  private static long tokens(Usage usage) {
    return usage.promptTokens() + usage.completionTokens();
  }
}
