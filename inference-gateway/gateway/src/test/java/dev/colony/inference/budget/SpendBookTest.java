package dev.colony.inference.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.Budget;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.PriceTable.Prices;
import dev.colony.inference.budget.Reservation.Entry;
import dev.colony.inference.budget.Reservation.Later;
import dev.colony.inference.budget.Reservation.Limit;
import dev.colony.inference.budget.Reservation.RateLimit;
import dev.colony.inference.budget.Reservation.Refused;
import dev.colony.inference.budget.Reservation.Reserved;
import dev.colony.inference.budget.SpendBook.Account;
import dev.colony.inference.budget.SpendBook.Batch;
import dev.colony.inference.budget.SpendBook.Lease;
import dev.colony.inference.budget.SpendBook.Outcome;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class SpendBookTest {

  private static final Duration LEASE = Duration.ofMinutes(2);
  private static final String ALL = "tenant:total";

  private Instant now = Instant.parse("2026-11-23T10:00:00Z");
  private Map<String, Lease> leases = Map.of();
  private Map<String, Account> accounts = Map.of();
  private Map<String, Instant> fullAt = Map.of();

  private Outcome enter(String holder, long number, Entry... entries) {
    SpendBook book = new SpendBook(now, leases, accounts, fullAt);
    Outcome outcome = book.enter(new Batch(holder, number, LEASE, List.of(entries)));
    leases = book.leases();
    accounts = book.accounts();
    fullAt = book.fullAt();
    return outcome;
  }

  private Reservation one(String holder, long number, Entry entry) {
    return ((Outcome.Done) enter(holder, number, entry)).reservations().getFirst();
  }

  private static Spend tokens(long prompt, long completion) {
    return Spend.of(new Usage(prompt, 0, completion), BigDecimal.ZERO);
  }

  private static Entry.Reserve call(long budget, long prompt, long reply, RateLimit... rates) {
    Budget of = new Budget(Optional.of(budget), Optional.empty());
    return new Entry.Reserve(
        List.of(new Limit(ALL, "tenant acme", of)),
        List.of(rates),
        tokens(prompt, reply),
        tokens(prompt, 0));
  }

  private long spent() {
    return accounts.getOrDefault(ALL, Account.NEW).spent().tokens();
  }

  @Test
  void aBudgetIsSpentByWhatWasSettledAndReservedByWhatMayCome() {
    Reserved first = (Reserved) one("n1", 1, call(1000, 100, 800));
    Reserved second = (Reserved) one("n2", 1, call(1000, 100, 800));
    assertThat(one("n3", 1, call(1000, 100, 800)))
        .isInstanceOfSatisfying(
            Later.class,
            later ->
                assertThat(later.reason())
                    .isEqualTo(
                        "calls under way of tenant acme may take the rest of its budget of 1000"
                            + " tokens"));
    enter("n1", 2, new Entry.Settle(first, tokens(40, 10)));
    assertThat(spent()).isEqualTo(50);
    Reserved third = (Reserved) one("n3", 2, call(1000, 100, 800));
    enter("n2", 2, new Entry.Settle(second, tokens(100, 450)));
    enter("n3", 3, new Entry.Settle(third, tokens(100, 500)));
    assertThat(spent()).isEqualTo(1200);
    assertThat(one("n1", 3, call(1000, 1, 1)))
        .isEqualTo(new Refused("tenant acme has spent its budget of 1000 tokens"));
  }

  @Test
  void moneyIsHeldAgainstItsBudgetToTheLastDigit() {
    PriceTable prices =
        PriceTable.of(
            new Prices(new BigDecimal("0.1"), new BigDecimal("0.0375"), new BigDecimal("0.3")));
    Spend third = prices.spend("m", new Usage(1, 1, 0)).plus(prices.spend("m", new Usage(2, 0, 1)));
    assertThat(third.cost()).isEqualByComparingTo("0.0000005375");
    Budget budget = new Budget(Optional.empty(), Optional.of(third.cost()));
    Entry.Reserve call =
        new Entry.Reserve(List.of(new Limit(ALL, "a", budget)), List.of(), third, third);
    Reserved reserved = (Reserved) one("n1", 1, call);
    enter("n1", 2, new Entry.Settle(reserved, third.minus(prices.spend("m", new Usage(1, 1, 0)))));
    assertThat(one("n1", 3, call)).isInstanceOf(Reserved.class);
    enter("n1", 4, new Entry.Add(List.of(ALL), prices.spend("m", new Usage(1, 1, 0))));
    assertThat(one("n1", 5, call))
        .isEqualTo(new Refused("a has spent its budget of a cost of 0.0000005375"));
  }

  @Test
  void aBatchIsEnteredOnce() {
    enter("n1", 1, new Entry.Add(List.of(ALL), tokens(10, 5)));
    assertThat(enter("n1", 1, new Entry.Add(List.of(ALL), tokens(10, 5))))
        .isEqualTo(new Outcome.Known());
    assertThat(spent()).isEqualTo(15);
    assertThat(enter("n1", 2, new Entry.Add(List.of(ALL), tokens(10, 5))))
        .isInstanceOf(Outcome.Done.class);
    assertThat(spent()).isEqualTo(30);
  }

  @Test
  void whatANodeHadReservedThatIsNotHeardOfCountsWithItsPrompt() {
    Reserved lost = (Reserved) one("n1", 1, call(1000, 300, 800));
    now = now.plus(LEASE).plusMillis(1);
    assertThat(one("n2", 1, call(1000, 100, 800))).isInstanceOf(Reserved.class);
    assertThat(spent()).isEqualTo(300);
    // It was only slow: what it settles takes the place of what was counted for it.
    assertThat(enter("n1", 2, new Entry.Settle(lost, tokens(300, 40))))
        .isEqualTo(new Outcome.Lapsed());
    enter("n1-again", 1, new Entry.Settle(lost, tokens(300, 40)));
    assertThat(spent()).isEqualTo(340);
    assertThat(accounts.get(ALL).spent().calls()).isEqualTo(1);
  }

  @Test
  void aRateLetsAMinutesWorthThroughAndThenAsMuchAsComesBack() {
    RateLimit rate = new RateLimit("tenant acme", OptionalLong.of(60), OptionalLong.of(6000));
    for (int i = 1; i <= 6; i++) {
      assertThat(one("n1", i, call(Long.MAX_VALUE, 500, 500, rate))).isInstanceOf(Reserved.class);
    }
    assertThat(one("n1", 7, call(Long.MAX_VALUE, 500, 500, rate)))
        .isEqualTo(new Later(Duration.ofSeconds(10), "the rate of tenant acme is used up"));
    now = now.plusSeconds(10);
    Reserved seventh = (Reserved) one("n1", 8, call(Long.MAX_VALUE, 500, 500, rate));
    // It took less than it might have, which comes back at once.
    enter("n1", 9, new Entry.Settle(seventh, tokens(100, 0)));
    assertThat(one("n1", 10, call(Long.MAX_VALUE, 450, 450, rate))).isInstanceOf(Reserved.class);
    for (int i = 11; i < 11 + 52 + 10; i++) {
      one("n1", i, call(Long.MAX_VALUE, 0, 0, rate));
    }
    assertThat(one("n1", 99, call(Long.MAX_VALUE, 0, 0, rate)))
        .isEqualTo(new Later(Duration.ofSeconds(1), "the rate of tenant acme is used up"));
  }

  @Test
  void aCallOfMoreThanAMinutesTokensBeginsWhenTheBucketIsFull() {
    RateLimit rate = new RateLimit("model m", OptionalLong.empty(), OptionalLong.of(100));
    assertThat(one("n1", 1, call(Long.MAX_VALUE, 1000, 0, rate))).isInstanceOf(Reserved.class);
    assertThat(one("n1", 2, call(Long.MAX_VALUE, 50, 0, rate)))
        .isEqualTo(new Later(Duration.ofSeconds(570), "the rate of model m is used up"));
  }

  /**
   * Nodes call at will until all are refused, batches are repeated, and nodes are silent until
   * their lease has lapsed: what is spent in the end is what the calls took, and less than a call's
   * worth beyond the budget, unless a call that was taken for lost came back.
   */
  @Property(tries = 300)
  void sumsAreExactAndBudgetsAreOverrunByLessThanACall(@ForAll long seed) {
    leases = Map.of();
    accounts = Map.of();
    Random random = new Random(seed);
    long budget = 1000 + random.nextInt(9000);
    long largest = 0;
    long took = 0;
    String[] holders = {"a0", "b0", "c0"};
    long[] numbers = new long[3];
    List<List<Reserved>> open = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    boolean late = false;
    for (int i = 0; i < 400; i++) {
      int node = random.nextInt(3);
      if (random.nextInt(60) == 0) {
        now = now.plus(LEASE).plusSeconds(1);
        late = true;
      }
      List<Entry> entries = new ArrayList<>();
      long prompt = random.nextInt(200);
      long reply = 1 + random.nextInt(400);
      boolean settles = !open.get(node).isEmpty() && random.nextBoolean();
      long taken = 0;
      if (settles) {
        Reserved reserved = open.get(node).removeFirst();
        Usage most = reserved.entry().most().usage();
        taken = most.promptTokens() + random.nextLong(most.completionTokens() + 1);
        entries.add(
            new Entry.Settle(reserved, tokens(most.promptTokens(), taken - most.promptTokens())));
      } else {
        entries.add(call(budget, prompt, reply));
      }
      took += taken;
      Entry[] batch = entries.toArray(Entry[]::new);
      Outcome outcome = enter(holders[node], ++numbers[node], batch);
      if (outcome instanceof Outcome.Lapsed) {
        holders[node] += "'";
        numbers[node] = 1;
        outcome = enter(holders[node], 1, batch);
      }
      if (random.nextInt(4) == 0) {
        assertThat(enter(holders[node], numbers[node], batch)).isEqualTo(new Outcome.Known());
      }
      for (Reservation answer : ((Outcome.Done) outcome).reservations()) {
        if (answer instanceof Reserved reserved) {
          open.get(node).add(reserved);
          largest = Math.max(largest, prompt + reply);
        }
      }
    }
    for (int node = 0; node < 3; node++) {
      for (Reserved reserved : open.get(node)) {
        took += reserved.entry().most().tokens();
        Entry end = new Entry.Settle(reserved, reserved.entry().most());
        if (enter(holders[node], ++numbers[node], end) instanceof Outcome.Lapsed) {
          holders[node] += "'";
          numbers[node] = 1;
          enter(holders[node], 1, end);
        }
      }
    }
    assertThat(spent()).as("seed %d", seed).isEqualTo(took);
    assertThat(accounts.values()).allMatch(account -> account.held().isEmpty());
    if (!late) {
      assertThat(spent()).as("seed %d", seed).isLessThan(budget + largest);
    }
  }
}
