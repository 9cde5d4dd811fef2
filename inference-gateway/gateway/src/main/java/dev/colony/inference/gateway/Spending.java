package dev.colony.inference.gateway;

import dev.colony.inference.Budget;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.BudgetSettings.TenantBudget;
import dev.colony.inference.budget.PriceTable;
import dev.colony.inference.budget.Reservation;
import dev.colony.inference.budget.Reservation.Entry;
import dev.colony.inference.budget.Reservation.Limit;
import dev.colony.inference.budget.Reservation.RateLimit;
import dev.colony.inference.budget.Reservation.Reserved;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.budget.SpendLedger;
import dev.colony.inference.budget.SpendStore;
import dev.colony.inference.budget.SpendStore.Book;
import dev.colony.inference.budget.SpendStore.SpendAccounts;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the calls of a gateway spend: each completion reserves what it may take before it begins,
 * where anything bounds it, and is counted once when it has ended, whatever has come of it. Sums
 * are kept in a store, so that gateways that share one hold their calls to the same budgets and
 * rates. Calls without a tenant are held to the rates of models only, and not summed.
 *
 * <p>Thread-safe.
 */
public final class Spending implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Spending.class);

  /** How long the end of a gateway waits for what is not stored. */
  private static final Duration LAST_STORES = Duration.ofSeconds(5);

  private final BudgetSettings settings;
  private final PriceTable prices;
  private final InstantSource clock;
  private final SpendLedger ledger;
  private final Set<CompletableFuture<?>> storing = ConcurrentHashMap.newKeySet();

  /**
   * @param clock by which the periods of budgets begin; the same on all nodes
   */
  public Spending(BudgetSettings settings, SpendStore store, InstantSource clock) {
    this.settings = settings;
    this.prices = settings.prices();
    this.clock = clock;
    this.ledger = new SpendLedger(store, BudgetSettings.LEASE);
  }

  /** What one completion has asked of a book, or holds there. */
  private record Asked(Book book, Entry.Reserve entry) {}

  /** A completion on its way; to be ended once. */
  final class Completion {
    private final InferenceRequest request;
    private final String model;
    private final List<Asked> asks;
    private final List<Reserved> reserved = new ArrayList<>();

    private Completion(InferenceRequest request, String model, List<Asked> asks) {
      this.request = request;
      this.model = model;
      this.asks = asks;
    }

    /**
     * Asks whether it may begin; what was reserved before it turned out that it may not is given
     * back.
     *
     * @param longest to wait for the store
     * @return why it may not, or not yet; empty where it may
     */
    Optional<Reservation> reserve(Duration longest) throws InterruptedException, TimeoutException {
      try {
        for (Asked ask : asks) {
          Reservation answer = answer(ledger.reserve(ask.book(), ask.entry()), longest);
          if (!(answer instanceof Reserved one)) {
            return Optional.of(answer);
          }
          reserved.add(one);
        }
        return Optional.empty();
      } finally {
        if (reserved.size() < asks.size()) {
          settle(Spend.NONE);
          reserved.clear();
        }
      }
    }

    /**
     * It has ended, however.
     *
     * @return what it took
     */
    Spend ended(Usage usage) {
      Spend spend = Spend.of(usage, prices.cost(model, usage));
      settle(spend);
      boolean counted = asks.stream().anyMatch(ask -> ask.book() instanceof Book.OfTenant);
      CallContext context = request.context();
      if (!counted && !context.tenant().isEmpty()) {
        store(
            ledger.add(
                new Book.OfTenant(context.tenant()),
                limits(context).stream().map(Limit::account).toList(),
                spend));
      }
      return spend;
    }

    /** It did not begin, or the server did not take it: nothing was spent. */
    void failed() {
      settle(Spend.NONE);
    }

    private void settle(Spend spend) {
      for (int i = 0; i < reserved.size(); i++) {
        store(ledger.settle(asks.get(i).book(), reserved.get(i), spend));
      }
    }
  }

  private static Reservation answer(CompletableFuture<Reservation> asked, Duration longest)
      throws InterruptedException, TimeoutException {
    try {
      return asked.get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException failure) {
      throw new IllegalStateException("what a call may spend cannot be told", failure.getCause());
    } finally {
      // What is answered to a caller that has left is given back.
      asked.cancel(false);
    }
  }

  /**
   * A completion that is to begin.
   *
   * @param promptTokens about
   * @param replyTokens the most
   */
  Completion completion(
      InferenceRequest request, String model, long promptTokens, long replyTokens) {
    CallContext context = request.context();
    Usage prompt = new Usage(promptTokens, 0, 0);
    Usage all = new Usage(promptTokens, 0, replyTokens);
    Spend most = Spend.of(all, prices.cost(model, all));
    Spend least = Spend.of(prompt, prices.cost(model, prompt));
    List<Asked> asks = new ArrayList<>();
    if (!context.tenant().isEmpty()) {
      List<Limit> limits = limits(context);
      List<RateLimit> rates =
          Optional.of(settings.rate(context.tenant())).filter(RateLimit::bounded).stream().toList();
      if (!rates.isEmpty() || limits.stream().anyMatch(limit -> limit.budget().bounded())) {
        asks.add(
            new Asked(
                new Book.OfTenant(context.tenant()),
                new Entry.Reserve(limits, rates, most, least)));
      }
    }
    settings
        .modelRate(model)
        .ifPresent(rate ->
            asks.add(
                new Asked(
                    new Book.OfModels(),
                    new Entry.Reserve(List.of(), List.of(rate), most, least))));
    return new Completion(request, model, asks);
  }

  /** The accounts that a call is counted in, with what may be spent of each. */
  private List<Limit> limits(CallContext context) {
    TenantBudget budget = settings.of(context.tenant());
    String period = settings.period().of(clock.instant());
    List<Limit> limits = new ArrayList<>();
    context
        .run()
        .ifPresent(run -> {
          Budget own = context.runBudget().bounded() ? context.runBudget() : budget.run();
          if (own.bounded()) {
            limits.add(
                new Limit(SpendAccounts.run(context.agent().orElse(""), run), "run " + run, own));
          }
        });
    context
        .shared()
        .ifPresent(shared ->
            limits.add(
                new Limit(
                    SpendAccounts.shared(shared.account()), shared.account(), shared.most())));
    context
        .session()
        .ifPresent(id ->
            limits.add(new Limit(SpendAccounts.session(id), "session " + id, budget.session())));
    limits.add(
        new Limit(
            SpendAccounts.tenant(period),
            "tenant " + context.tenant() + " in " + period,
            budget.inAll()));
    return limits;
  }

  private void store(CompletableFuture<Void> stored) {
    storing.add(stored);
    stored.whenComplete((done, failure) -> {
      storing.remove(stored);
      if (failure != null) {
        LOG.warn("what a model call has spent was not stored: {}", failure.getMessage());
      }
    });
  }

  /** Waits a while for what is not stored yet, and gives up the rest. */
  @Override
  public void close() {
    try {
      CompletableFuture.allOf(storing.toArray(CompletableFuture[]::new))
          .get(LAST_STORES.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException lost) {
      LOG.warn("what the last model calls have spent was not stored", lost);
    }
    ledger.close();
  }
}
