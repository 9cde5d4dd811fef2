package dev.colony.inference.budget;

/** The names of a tenant's accounts. */
public final class SpendAccounts {

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
