package dev.colony.client.spend;

import dev.colony.client.spend.TenantSpending.BudgetUse;
import dev.colony.inference.Budget;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.BudgetSettings.TenantBudget;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.budget.SpendAccounts;
import dev.colony.inference.budget.SpendStore;
import dev.colony.inference.budget.SpendStore.Book;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Tells what tenants and their sessions have spent of their budgets. Thread-safe.
 *
 * @param settings the budgets that calls are held to
 * @param clock by which the periods of budgets begin
 */
public record SpendingReader(SpendStore store, BudgetSettings settings, InstantSource clock) {

  /**
   * What a tenant has spent, with one read of the store. A tenant or a session of which nothing was
   * ever counted has spent nothing; it need not exist.
   *
   * @param session the id of one of the tenant's sessions, as calls name it
   * @return fails with a {@link dev.colony.blackboard.BlackboardException} where the blackboard
   *     cannot be read
   */
  public CompletionStage<TenantSpending> of(String tenant, Optional<String> session) {
    Instant now = clock.instant();
    TenantBudget budget = settings.of(tenant);
    String period = settings.period().of(now);
    String inAll = SpendAccounts.tenant(period);
    List<String> accounts = new ArrayList<>(List.of(inAll));
    session.map(SpendAccounts::session).ifPresent(accounts::add);
    return store
        .spent(new Book.OfTenant(tenant), accounts)
        .thenApply(spent ->
            new TenantSpending(
                tenant,
                period,
                settings.period().end(now),
                use(spent, inAll, budget.inAll()),
                session.map(id -> use(spent, SpendAccounts.session(id), budget.session()))));
  }

  private static BudgetUse use(Map<String, Spend> spent, String account, Budget limit) {
    return BudgetUse.of(spent.getOrDefault(account, Spend.NONE), limit);
  }
}
