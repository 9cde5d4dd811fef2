package dev.colony.client.session;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.client.session.BlackboardSpendStore.TenantSpending.BudgetUse;
import dev.colony.client.wire.WireJson;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.Budget;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.BudgetSettings.TenantBudget;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.budget.SpendBook;
import dev.colony.inference.budget.SpendBook.Account;
import dev.colony.inference.budget.SpendBook.Batch;
import dev.colony.inference.budget.SpendBook.Lease;
import dev.colony.inference.budget.SpendBook.Outcome;
import dev.colony.inference.budget.SpendStore;
import dev.colony.inference.budget.SpendStore.Book;
import dev.colony.inference.budget.SpendStore.SpendAccounts;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Books on the blackboard, each in a scope of the system's, to which no tenant writes. A batch is
 * one transaction: one read and one commit, and once more for each conflict with another node.
 */
public final class BlackboardSpendStore implements SpendStore {

  private static final String WRITER = "spend";
  private static final String LEASES = "leases";
  private static final String ACCOUNT = "account:";
  private static final String RATE = "rate:";
  private static final Duration RATES_KEPT = Duration.ofHours(1);

  private record Leases(Map<String, Lease> holders) {}

  private record FullAt(Instant at) {}

  private final Blackboards blackboards;
  private final Backoff backoff;
  private final Duration keep;

  /**
   * @param backoff between attempts while the blackboard cannot be reached
   * @param keep how long an account is kept after the last call that it counts
   */
  public BlackboardSpendStore(Blackboards blackboards, Backoff backoff, Duration keep) {
    this.blackboards = blackboards;
    this.backoff = backoff;
    this.keep = keep;
  }

  @Override
  public CompletionStage<Outcome> enter(Book book, Batch batch) {
    AtomicReference<Outcome> last = new AtomicReference<>();
    return backoff.repeat(
        "storing what model calls take",
        () -> false,
        () -> board(book).transaction(tx -> enter(tx, batch, last)));
  }

  /**
   * @param last what the body came to the last time; if that was committed and its answer was lost,
   *     it is the answer
   */
  private CompletionStage<Outcome> enter(
      Transaction tx, Batch batch, AtomicReference<Outcome> last) {
    List<String> keys = new ArrayList<>(List.of(LEASES));
    batch.accounts().forEach(name -> keys.add(key(ACCOUNT, name)));
    batch.rates().forEach(name -> keys.add(key(RATE, name)));
    return tx.readAll(keys)
        .thenCompose(entries -> {
          Map<String, Entry> found = new HashMap<>();
          entries.forEach(entry -> found.put(entry.key(), entry));
          Map<String, Account> accounts = values(found, ACCOUNT, batch.accounts(), Account.class);
          Map<String, FullAt> rates = values(found, RATE, batch.rates(), FullAt.class);
          Map<String, Instant> fullAt = new HashMap<>();
          rates.forEach((name, full) -> fullAt.put(name, full.at()));
          Map<String, Lease> leases =
              found.containsKey(LEASES)
                  ? WireJson.read(found.get(LEASES).value(), Leases.class).holders()
                  : Map.of();
          SpendBook open = new SpendBook(blackboards.clock().instant(), leases, accounts, fullAt);
          Outcome outcome = open.enter(batch);
          return switch (outcome) {
            case Outcome.Done done -> {
              last.set(done);
              yield written(tx, open, accounts, fullAt).thenApply(stored -> outcome);
            }
            case Outcome.Known known ->
                CompletableFuture.completedStage(Objects.requireNonNullElse(last.get(), outcome));
            case Outcome.Lapsed lapsed -> CompletableFuture.completedStage(outcome);
          };
        });
  }

  private CompletionStage<Void> written(
      Transaction tx, SpendBook open, Map<String, Account> accounts, Map<String, Instant> fullAt) {
    List<Write> writes = new ArrayList<>();
    writes.add(Write.of(LEASES, WireJson.write(new Leases(open.leases()))).ttl(keep));
    open.accounts()
        .forEach((name, account) -> {
          if (!account.equals(accounts.get(name))) {
            writes.add(Write.of(key(ACCOUNT, name), WireJson.write(account)).ttl(keep));
          }
        });
    open.fullAt()
        .forEach((name, full) -> {
          if (!full.equals(fullAt.get(name))) {
            writes.add(Write.of(key(RATE, name), WireJson.write(new FullAt(full))).ttl(RATES_KEPT));
          }
        });
    CompletionStage<Void> done = CompletableFuture.completedStage(null);
    for (Write write : writes) {
      done = done.thenCompose(next -> tx.write(write));
    }
    return done;
  }

  @Override
  public CompletionStage<Map<String, Spend>> spent(Book book, Collection<String> accounts) {
    return board(book)
        .readAll(accounts.stream().map(name -> key(ACCOUNT, name)).toList())
        .thenApply(entries -> {
          Map<String, Entry> found = new HashMap<>();
          entries.forEach(entry -> found.put(entry.key(), entry));
          Map<String, Spend> spent = new HashMap<>();
          values(found, ACCOUNT, accounts, Account.class)
              .forEach((name, account) -> spent.put(name, account.spent()));
          return spent;
        });
  }

  private static <T> Map<String, T> values(
      Map<String, Entry> found, String kind, Collection<String> names, Class<T> type) {
    Map<String, T> values = new HashMap<>();
    for (String name : names) {
      Entry entry = found.get(key(kind, name));
      if (entry != null) {
        values.put(name, WireJson.read(entry.value(), type));
      }
    }
    return values;
  }

  /** Names of models and sessions may hold what a key may not. */
  private static String key(String kind, String name) {
    return kind + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("*", "%2A");
  }

  private Blackboard board(Book book) {
    Scope scope =
        switch (book) {
          case Book.OfTenant of -> Scope.colony("system", of.tenant()).namespace("spend");
          case Book.OfModels models -> Scope.tenant("system").namespace("model-rates");
        };
    return blackboards.open(scope, WRITER);
  }

  /**
   * Tells what tenants and their sessions have spent of their budgets. Thread-safe.
   *
   * @param settings the budgets that calls are held to
   * @param clock by which the periods of budgets begin
   */
  public record SpendingReader(SpendStore store, BudgetSettings settings, InstantSource clock) {

    /**
     * What a tenant has spent, with one read of the store. A tenant or a session of which nothing
     * was ever counted has spent nothing; it need not exist.
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

  /**
   * What the model calls of a tenant have taken, and what they may take yet.
   *
   * @param period which is counted, by UTC: a month {@code 2026-11}, a day {@code 2026-11-24}, or
   *     {@code total}
   * @param endsAt when the next period begins, in which nothing is spent; absent where the budget
   *     is not for a period
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
     * How much of a budget is used. Calls under way are not counted before they have ended,
     * although what they may take is held back for them.
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
}
