package dev.colony.inference.budget;

import dev.colony.inference.Budget;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** The answer to a call that asks to spend. */
public sealed interface Reservation {

  /**
   * It may begin, and is to be settled when it has ended.
   *
   * @param holder under which the store holds it
   */
  record Reserved(String holder, Entry.Reserve entry) implements Reservation {}

  /** What may be spent is used up. */
  record Refused(String reason) implements Reservation {}

  /**
   * It may not begin yet: a rate is used up, or calls under way may take what is left.
   *
   * @param after which to ask again
   */
  record Later(Duration after, String reason) implements Reservation {}

  /** What is done with a book. */
  sealed interface Entry {

    /**
     * A call is to begin.
     *
     * @param accounts that it is counted in, with what may be spent of each
     * @param most that it may take: its prompt and the longest reply
     * @param least that it takes if it begins and nothing is heard of it again: its prompt
     */
    record Reserve(List<Limit> accounts, List<RateLimit> rates, Spend most, Spend least)
        implements Entry {}

    /** A call that was reserved has ended. */
    record Settle(Reserved reserved, Spend spent) implements Entry {}

    /** Calls have ended that reserved nothing. */
    record Add(List<String> accounts, Spend spent) implements Entry {}
  }

  /**
   * What may be spent of an account.
   *
   * @param subject whose it is, in refusals: {@code tenant acme in 2026-11}
   */
  record Limit(String account, String subject, Budget budget) {}

  /**
   * How much may be asked in a minute, as a bucket that holds a minute's worth and fills evenly.
   *
   * @param name of what it limits, in refusals: {@code tenant acme}, {@code model gpt-5}
   * @param requests empty for no bound
   * @param tokens of prompts and replies; empty for no bound
   */
  public record RateLimit(String name, OptionalLong requests, OptionalLong tokens) {

    public boolean bounded() {
      return requests.isPresent() || tokens.isPresent();
    }
  }
}
