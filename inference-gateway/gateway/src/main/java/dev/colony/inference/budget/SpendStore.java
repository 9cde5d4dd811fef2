package dev.colony.inference.budget;

import dev.colony.inference.budget.SpendBook.Batch;
import dev.colony.inference.budget.SpendBook.Outcome;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Keeps books where all nodes see them. Thread-safe; no call blocks. */
public interface SpendStore {

  /** Which book. */
  sealed interface Book {

    /** That of a tenant: its accounts and its rates. */
    record OfTenant(String tenant) implements Book {}

    /** That of the models' rates. */
    record OfModels() implements Book {}
  }

  /**
   * Enters a batch as {@link SpendBook#enter} does, all of it at once. It is tried again, and
   * entered once, for as long as the store cannot be reached; a stage that fails says that it never
   * will be.
   *
   * @return that it is done, or that the holder's lease has lapsed
   */
  CompletionStage<Outcome> enter(Book book, Batch batch);

  /** What was spent, by the names of the accounts; those of which nothing was are left out. */
  CompletionStage<Map<String, Spend>> spent(Book book, Collection<String> accounts);

  /** The names of a tenant's accounts. */
  public static final class SpendAccounts {

    private SpendAccounts() {}

    /**
     * All that the tenant takes.
     *
     * @param period see {@link BudgetSettings.Period#of}
     */
    public static String tenant(String period) {
      return "tenant:" + period;
    }

    /** What a session takes, from its beginning on. */
    public static String session(String id) {
      return "session:" + id;
    }

    /** What calls take that share a budget. */
    public static String shared(String account) {
      return "shared:" + account;
    }

    /**
     * What a run takes.
     *
     * @param agent whose run it is; empty for none
     */
    public static String run(String agent, String id) {
      return "run:" + agent + ":" + id;
    }
  }
}
