package dev.colony.inference.budget;

import dev.colony.inference.budget.Reservation.Entry;
import dev.colony.inference.budget.Reservation.Later;
import dev.colony.inference.budget.Reservation.Limit;
import dev.colony.inference.budget.Reservation.RateLimit;
import dev.colony.inference.budget.Reservation.Refused;
import dev.colony.inference.budget.Reservation.Reserved;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The accounts that one batch of entries is about, before it and after it. Pure, for one batch.
 *
 * <p>A call may begin while less than the budget is spent and reserved, so that however many calls
 * of however many nodes are under way, a budget is overrun by less than what one call reserves.
 *
 * <p>Each node is a holder of reservations with a lease. A lease that has lapsed, since its node
 * has died or could not reach the store, has what its calls take at least counted as spent. A batch
 * has a number, and is entered once, however often it is sent.
 */
public final class SpendBook {

  /** When calls that are under way may have ended. */
  private static final Duration RECHECK = Duration.ofMillis(200);

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /**
   * A holder's.
   *
   * @param batch the last that was entered
   */
  public record Lease(long batch, Instant until) {}

  /** What calls of a holder have reserved. */
  public record Held(Spend most, Spend least) {}

  /**
   * What was spent, and what is reserved.
   *
   * @param held by holder
   */
  public record Account(Spend spent, Map<String, Held> held) {

    public static final Account NEW = new Account(Spend.NONE, Map.of());

    public Account {
      held = held == null ? Map.of() : Map.copyOf(held);
    }

    /** With what calls under way may take. */
    Spend atMost() {
      return held.values().stream().map(Held::most).reduce(spent, Spend::plus);
    }
  }

  /**
   * Entries of a holder.
   *
   * @param number 1 for the holder's first
   */
  public record Batch(String holder, long number, Duration lease, List<Entry> entries) {

    /** The accounts that it is about. */
    public Set<String> accounts() {
      Set<String> names = new HashSet<>();
      for (Entry entry : entries) {
        names.addAll(SpendBook.accounts(entry));
      }
      return names;
    }

    /** The rates that it is about. */
    public Set<String> rates() {
      Set<String> names = new HashSet<>();
      for (Entry entry : entries) {
        SpendBook.rates(entry).forEach(rate -> names.addAll(levels(rate)));
      }
      return names;
    }
  }

  /** What became of a batch. */
  public sealed interface Outcome {

    /** It is entered; the answers to its reservations, in their order. */
    record Done(List<Reservation> reservations) implements Outcome {}

    /** It was entered before. */
    record Known() implements Outcome {}

    /** The holder's lease has lapsed: it goes on under another name, with a batch number 1. */
    record Lapsed() implements Outcome {}
  }

  private final Instant now;
  private final Map<String, Lease> leases;
  private final Map<String, Account> accounts;
  private final Map<String, Instant> fullAt;

  /**
   * @param accounts those of the batch that there are
   * @param fullAt when the buckets of the batch's rates will be full, as far as they are known
   */
  public SpendBook(
      Instant now,
      Map<String, Lease> leases,
      Map<String, Account> accounts,
      Map<String, Instant> fullAt) {
    this.now = now;
    this.leases = new HashMap<>(leases);
    this.accounts = new HashMap<>(accounts);
    this.fullAt = new HashMap<>(fullAt);
  }

  public Map<String, Lease> leases() {
    return leases;
  }

  public Map<String, Account> accounts() {
    return accounts;
  }

  public Map<String, Instant> fullAt() {
    return fullAt;
  }

  /** Enters a batch. Nothing is changed unless it is done. */
  public Outcome enter(Batch batch) {
    Optional<Lease> own =
        Optional.ofNullable(leases.get(batch.holder())).filter(lease -> !lapsed(lease));
    if (own.filter(lease -> lease.batch() >= batch.number()).isPresent()) {
      return new Outcome.Known();
    }
    if (own.isEmpty() && batch.number() > 1) {
      return new Outcome.Lapsed();
    }
    leases.values().removeIf(this::lapsed);
    leases.put(batch.holder(), new Lease(batch.number(), now.plus(batch.lease())));
    accounts.replaceAll((name, account) -> withoutLapsed(account));
    List<Reservation> reservations = new ArrayList<>();
    for (Entry entry : batch.entries()) {
      switch (entry) {
        case Entry.Reserve reserve -> reservations.add(reserve(batch.holder(), reserve));
        case Entry.Settle settle -> settle(settle);
        case Entry.Add add -> add.accounts().forEach(name -> spend(name, add.spent()));
      }
    }
    return new Outcome.Done(reservations);
  }

  private boolean lapsed(Lease lease) {
    return lease.until().isBefore(now);
  }

  private Account withoutLapsed(Account account) {
    Map<String, Held> held = new HashMap<>(account.held());
    held.keySet().retainAll(leases.keySet());
    Spend gone =
        account.held().entrySet().stream()
            .filter(one -> !held.containsKey(one.getKey()))
            .map(one -> one.getValue().least())
            .reduce(Spend.NONE, Spend::plus);
    return new Account(account.spent().plus(gone), held);
  }

  private Reservation reserve(String holder, Entry.Reserve call) {
    for (Limit limit : call.accounts()) {
      Account account = account(limit.account());
      Optional<String> spent = reached(limit, account.spent());
      if (spent.isPresent()) {
        return new Refused("%s has spent its budget of %s".formatted(limit.subject(), spent.get()));
      }
      Optional<String> reserved = reached(limit, account.atMost());
      if (reserved.isPresent()) {
        return new Later(
            RECHECK,
            "calls under way of %s may take the rest of its budget of %s"
                .formatted(limit.subject(), reserved.get()));
      }
    }
    for (RateLimit rate : call.rates()) {
      Duration wait = later(rate.requests(), requests(rate), 1);
      Duration tokens = later(rate.tokens(), tokens(rate), call.most().tokens());
      Duration longer = wait.compareTo(tokens) < 0 ? tokens : wait;
      if (longer.isPositive()) {
        return new Later(longer, "the rate of " + rate.name() + " is used up");
      }
    }
    for (RateLimit rate : call.rates()) {
      take(rate.requests(), requests(rate), 1);
      take(rate.tokens(), tokens(rate), call.most().tokens());
    }
    call.accounts().forEach(limit -> hold(limit.account(), holder, call.most(), call.least()));
    return new Reserved(holder, call);
  }

  private static Optional<String> reached(Limit limit, Spend spend) {
    return limit.budget().reached(spend.tokens(), spend.cost());
  }

  private void settle(Entry.Settle settle) {
    Reserved reserved = settle.reserved();
    Entry.Reserve call = reserved.entry();
    for (Limit limit : call.accounts()) {
      // What a lapsed holder had reserved is counted as spent already.
      boolean held = account(limit.account()).held().containsKey(reserved.holder());
      if (held) {
        hold(
            limit.account(),
            reserved.holder(),
            Spend.NONE.minus(call.most()),
            Spend.NONE.minus(call.least()));
      }
      spend(limit.account(), held ? settle.spent() : settle.spent().minus(call.least()));
    }
    for (RateLimit rate : call.rates()) {
      take(rate.tokens(), tokens(rate), settle.spent().tokens() - call.most().tokens());
      take(rate.requests(), requests(rate), Math.min(0, settle.spent().calls() - 1));
    }
  }

  private Account account(String name) {
    return accounts.getOrDefault(name, Account.NEW);
  }

  private void spend(String name, Spend more) {
    Account before = account(name);
    accounts.put(name, new Account(before.spent().plus(more), before.held()));
  }

  private void hold(String name, String holder, Spend most, Spend least) {
    Account before = account(name);
    Map<String, Held> held = new HashMap<>(before.held());
    Held own = held.getOrDefault(holder, new Held(Spend.NONE, Spend.NONE));
    Held now = new Held(own.most().plus(most), own.least().plus(least));
    if (now.most().calls() == 0) {
      held.remove(holder);
    } else {
      held.put(holder, now);
    }
    accounts.put(name, new Account(before.spent(), held));
  }

  /** How long until so much may be taken; at once if it may. */
  private Duration later(OptionalLong perMinute, String name, long amount) {
    if (perMinute.isEmpty()) {
      return Duration.ZERO;
    }
    // More than the bucket holds can be taken when it is full.
    long counted = Math.min(amount, perMinute.getAsLong());
    return Duration.between(now, full(name).plus(time(perMinute, counted)).minus(MINUTE));
  }

  private void take(OptionalLong perMinute, String name, long amount) {
    if (perMinute.isPresent()) {
      Instant then = full(name).plus(time(perMinute, amount));
      fullAt.put(name, then.isBefore(now) ? now : then);
    }
  }

  private Instant full(String name) {
    Instant known = fullAt.getOrDefault(name, now);
    return known.isBefore(now) ? now : known;
  }

  private static Duration time(OptionalLong perMinute, long amount) {
    return Duration.ofNanos(
        BigDecimal.valueOf(MINUTE.toNanos())
            .multiply(BigDecimal.valueOf(amount))
            .divideToIntegralValue(BigDecimal.valueOf(perMinute.getAsLong()))
            .longValue());
  }

  private static Collection<String> accounts(Entry entry) {
    return switch (entry) {
      case Entry.Reserve reserve -> reserve.accounts().stream().map(Limit::account).toList();
      case Entry.Settle settle -> accounts(settle.reserved().entry());
      case Entry.Add add -> add.accounts();
    };
  }

  private static List<RateLimit> rates(Entry entry) {
    return switch (entry) {
      case Entry.Reserve reserve -> reserve.rates();
      case Entry.Settle settle -> rates(settle.reserved().entry());
      case Entry.Add add -> List.of();
    };
  }

  private static List<String> levels(RateLimit rate) {
    return List.of(requests(rate), tokens(rate));
  }

  private static String requests(RateLimit rate) {
    return rate.name() + " requests";
  }

  private static String tokens(RateLimit rate) {
    return rate.name() + " tokens";
  }
}
