package dev.colony.inference.budget;

import dev.colony.inference.budget.SpendBook.Account;
import dev.colony.inference.budget.SpendBook.Batch;
import dev.colony.inference.budget.SpendBook.Lease;
import dev.colony.inference.budget.SpendBook.Outcome;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Books in the memory of one process: of a gateway that stands alone. */
public final class InMemorySpendStore implements SpendStore {

  private record Pages(
      Map<String, Lease> leases, Map<String, Account> accounts, Map<String, Instant> fullAt) {}

  private final InstantSource clock;
  private final Map<Book, Pages> books = new HashMap<>();

  public InMemorySpendStore(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized CompletionStage<Outcome> enter(Book book, Batch batch) {
    Pages pages = books.computeIfAbsent(book, any -> new Pages(Map.of(), Map.of(), Map.of()));
    SpendBook open =
        new SpendBook(clock.instant(), pages.leases(), pages.accounts(), pages.fullAt());
    Outcome outcome = open.enter(batch);
    books.put(book, new Pages(open.leases(), open.accounts(), open.fullAt()));
    return CompletableFuture.completedStage(outcome);
  }

  @Override
  public synchronized CompletionStage<Map<String, Spend>> spent(
      Book book, Collection<String> accounts) {
    Map<String, Spend> spent = new HashMap<>();
    Map<String, Account> known = books.containsKey(book) ? books.get(book).accounts() : Map.of();
    accounts.stream()
        .filter(known::containsKey)
        .forEach(name -> spent.put(name, known.get(name).spent()));
    return CompletableFuture.completedStage(spent);
  }
}
