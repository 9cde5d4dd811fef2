package dev.colony.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.Budget;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.Reservation;
import dev.colony.inference.budget.Reservation.Entry;
import dev.colony.inference.budget.Reservation.Later;
import dev.colony.inference.budget.Reservation.Limit;
import dev.colony.inference.budget.Reservation.RateLimit;
import dev.colony.inference.budget.Reservation.Refused;
import dev.colony.inference.budget.Reservation.Reserved;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.budget.SpendLedger;
import dev.colony.inference.budget.SpendStore;
import dev.colony.inference.budget.SpendStore.Book;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What is spent on three nodes, over any blackboard. */
abstract class SpendStoreContract {

  private static final Duration LEASE = Duration.ofMinutes(2);
  private static final String ALL = "tenant:2026-11";
  private static final String SESSION = "session:lab/s*1?";

  private final Book book = new Book.OfTenant("t-" + UUID.randomUUID());

  abstract Blackboards blackboards();

  private SpendStore store(BooleanSupplier forgets) {
    Blackboards forgetful =
        GuardedBlackboards.of(
            blackboards(),
            (method, arguments, call) -> {
              Object board = call.call();
              return method.getName().equals("transaction") && forgets.getAsBoolean()
                  ? forgotten((CompletionStage<?>) board)
                  : board;
            });
    Backoff backoff = new Backoff(Duration.ofMillis(1), Duration.ofMillis(5));
    return new BlackboardSpendStore(forgetful, backoff, Duration.ofDays(1));
  }

  private static CompletionStage<Object> forgotten(CompletionStage<?> done) {
    return done.thenApply(answer -> {
      throw new BlackboardException(BlackboardException.Reason.TIMEOUT, "no answer in time");
    });
  }

  private static Spend spend(long prompt, long completion) {
    return Spend.of(new Usage(prompt, 0, completion), new BigDecimal("0.000001"));
  }

  private static Entry.Reserve call(long budget) {
    Budget of = new Budget(Optional.of(budget), Optional.empty());
    return new Entry.Reserve(
        List.of(
            new Limit(ALL, "tenant acme", of), new Limit(SESSION, "session s1", Budget.UNLIMITED)),
        List.of(),
        spend(100, 400),
        spend(100, 0));
  }

  /** Each answer in three is lost, and what was asked is asked again. */
  @Test
  void whatThreeNodesSpendIsSummedWithoutLossAndHeldAgainstOneBudget() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    AtomicLong took = new AtomicLong();
    AtomicLong made = new AtomicLong();
    List<SpendLedger> nodes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      nodes.add(new SpendLedger(store(() -> calls.incrementAndGet() % 3 == 0), LEASE));
    }
    List<Future<?>> agents = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int agent = 0; agent < 12; agent++) {
        SpendLedger node = nodes.get(agent % 3);
        int reply = 50 + agent;
        agents.add(
            threads.submit(() -> {
              while (spends(node, reply)) {
                took.addAndGet(100 + reply);
                made.incrementAndGet();
              }
              return null;
            }));
      }
    }
    for (Future<?> agent : agents) {
      agent.get();
    }
    nodes.forEach(SpendLedger::close);
    Map<String, Spend> spent =
        store(() -> false).spent(book, List.of(ALL, SESSION)).toCompletableFuture().get();
    assertThat(spent.get(ALL).tokens()).isEqualTo(took.get()).isBetween(10_000L, 10_500L);
    assertThat(spent.get(ALL).calls()).isEqualTo(made.get());
    assertThat(spent.get(ALL).cost())
        .isEqualByComparingTo(new BigDecimal("0.000001").multiply(BigDecimal.valueOf(made.get())));
    assertThat(spent.get(SESSION)).isEqualTo(spent.get(ALL));
  }

  private boolean spends(SpendLedger node, int reply) throws Exception {
    while (true) {
      switch (node.reserve(book, call(10_000)).get()) {
        case Reserved reserved -> {
          node.settle(book, reserved, spend(100, reply)).get();
          return true;
        }
        case Refused refused -> {
          return false;
        }
        case Later later -> Thread.yield();
      }
    }
  }

  @Test
  void whatReservesNothingIsSummedToo() throws Exception {
    try (SpendLedger one = new SpendLedger(store(() -> false), LEASE);
        SpendLedger other = new SpendLedger(store(() -> false), LEASE)) {
      List<CompletableFuture<Void>> stored = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        stored.add((i % 2 == 0 ? one : other).add(book, List.of(ALL), spend(i, 1)));
      }
      for (CompletableFuture<Void> each : stored) {
        each.get();
      }
      Map<String, Spend> spent =
          store(() -> false).spent(book, List.of(ALL, "session:none")).toCompletableFuture().get();
      assertThat(spent).containsOnlyKeys(ALL);
      assertThat(spent.get(ALL).tokens()).isEqualTo(4950 + 100);
      assertThat(spent.get(ALL).calls()).isEqualTo(100);
    }
  }

  @Test
  void aRateHoldsForAllNodes() throws Exception {
    RateLimit rate = new RateLimit("model org/m:*", OptionalLong.of(4), OptionalLong.of(1_000_000));
    Entry.Reserve call = new Entry.Reserve(List.of(), List.of(rate), spend(1, 1), spend(1, 0));
    List<Reservation> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      try (SpendLedger node = new SpendLedger(store(() -> false), LEASE)) {
        answers.add(node.reserve(book, call).get());
      }
    }
    assertThat(answers.subList(0, 4)).allMatch(Reserved.class::isInstance);
    assertThat(answers.get(4)).isInstanceOf(Later.class);
  }

  @Test
  void aCallerThatHasLeftTakesNothing() throws Exception {
    CompletableFuture<Object> gate = new CompletableFuture<>();
    Blackboards slow =
        GuardedBlackboards.of(
            blackboards(),
            (method, arguments, call) ->
                method.getName().equals("transaction")
                    ? gate.thenCompose(open -> {
                      try {
                        return (CompletionStage<?>) call.call();
                      } catch (Exception failure) {
                        return CompletableFuture.failedStage(failure);
                      }
                    })
                    : call.call());
    Backoff backoff = new Backoff(Duration.ofMillis(1), Duration.ofMillis(5));
    try (SpendLedger node =
        new SpendLedger(new BlackboardSpendStore(slow, backoff, Duration.ofDays(1)), LEASE)) {
      node.reserve(book, call(500)).cancel(false);
      gate.complete(null);
      // Stands behind what gives the reservation back, or finds it given back.
      Reservation next = node.reserve(book, call(500)).get();
      for (int tries = 0; next instanceof Later && tries < 1000; tries++) {
        next = node.reserve(book, call(500)).get();
      }
      assertThat(next).isInstanceOf(Reserved.class);
    }
  }
}
