package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.BlackboardException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions: their reads and writes take effect as one, or not at all. */
abstract class TransactionContract extends Contract {

  private static final RetryPolicy THRICE =
      new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(2));

  private Blackboards blackboards;
  private Blackboard board;
  private Blackboard other;

  TransactionContract(BlackboardContract backend) {
    super(backend);
  }

  @BeforeEach
  void open() {
    blackboards = blackboards();
    board = blackboards.open(scope, "writer");
    other = blackboards.open(scope, "other");
  }

  private static Function<Transaction, CompletionStage<Void>> increment(String key) {
    return tx ->
        tx.read(key, Integer.class).thenCompose(count -> tx.write(key, count.orElse(0) + 1));
  }

  private int count(String key) {
    return get(board.read(key)).orElseThrow().as(Integer.class);
  }

  /** A body that reads a key and, at its first run, has something done before it ends. */
  private static Function<Transaction, CompletionStage<Integer>> disturbed(
      String key, AtomicInteger runs, Supplier<CompletionStage<?>> disturbance) {
    return tx ->
        tx.read(key)
            .thenCompose(found ->
                atFirst(runs, disturbance)
                    .thenCompose(done ->
                        tx.write(
                            "result", found.map(entry -> entry.value().asText()).orElse("none"))))
            .thenApply(done -> runs.get());
  }

  private static CompletionStage<?> atFirst(
      AtomicInteger runs, Supplier<CompletionStage<?>> disturbance) {
    return runs.incrementAndGet() == 1 ? disturbance.get() : CompletableFuture.completedStage(null);
  }

  private String result() {
    return get(board.read("result")).orElseThrow().value().asText();
  }

  @Test
  void writesTakeEffectAllAtOnceAtTheEnd() {
    writeKeys(board, "gone");
    String returned =
        get(
            board.transaction(tx ->
                tx.write(text("a", "1").tags("t").ttl(Duration.ofHours(1)))
                    .thenCompose(done -> tx.write("b", 2))
                    .thenCompose(done -> tx.delete("gone"))
                    .thenCompose(done -> other.query(Query.all()))
                    .thenApply(seen -> {
                      assertThat(seen.entries()).extracting(Entry::key).containsExactly("gone");
                      return "returned";
                    })));
    assertThat(returned).isEqualTo("returned");
    assertThat(keys(board, Query.all())).containsExactly("a", "b");
    assertThat(get(board.read("a")).orElseThrow().updatedBy()).isEqualTo("writer");
    assertThat(keys(board, Query.all().allTags("t"))).containsExactly("a");
    assertThat(history(board))
        .extracting(Contract::brief)
        .containsExactly("WRITTEN gone 0", "WRITTEN a 0", "WRITTEN b 0", "DELETED gone 1");
  }

  @Test
  void transactionSeesItsOwnWrites() {
    writeKeys(board, "kept", "deleted", "written");
    get(
        board.transaction(tx ->
            tx.write(text("written", "mine"))
                .thenCompose(done -> tx.write(text("new", "mine")))
                .thenCompose(done -> tx.delete("deleted"))
                .thenCompose(done -> tx.readAll(List.of("new", "deleted", "written", "kept")))
                .thenAccept(found -> {
                  assertThat(found)
                      .extracting(Entry::key)
                      .containsExactly("new", "written", "kept");
                  assertThat(found)
                      .extracting(entry -> entry.value().asText())
                      .containsExactly("mine", "mine", "kept");
                  assertThat(found.getFirst().position()).isEqualTo(Position.BEGINNING);
                })
                .thenCompose(done -> tx.read("deleted"))
                .thenAccept(found -> assertThat(found).isEmpty())
                .thenCompose(done -> tx.read("written", String.class))
                .thenAccept(found -> assertThat(found).contains("mine"))));
  }

  @Test
  void lastChangeOfAKeyCounts() {
    writeKeys(board, "k", "l");
    get(
        board.transaction(tx ->
            tx.write("k", 1)
                .thenCompose(done -> tx.delete("l"))
                .thenCompose(done -> tx.write("k", 2))
                .thenCompose(done -> tx.write("l", 3))));
    assertThat(count("k")).isEqualTo(2);
    assertThat(get(board.read("k")).orElseThrow().version()).isEqualTo(2);
    assertThat(get(board.read("l")).orElseThrow().version()).isEqualTo(2);
  }

  @Test
  void failureOfTheBodyWritesNothing() {
    IllegalStateException failure = new IllegalStateException("on purpose");
    List<Function<Transaction, CompletionStage<Void>>> bodies =
        List.of(
            tx -> tx.write("k", 1).thenCompose(done -> CompletableFuture.failedStage(failure)),
            tx -> {
              tx.write("k", 1);
              throw failure;
            });
    for (Function<Transaction, CompletionStage<Void>> body : bodies) {
      assertThatThrownBy(() -> get(board.transaction(body)))
          .isInstanceOf(CompletionException.class)
          .cause()
          .isSameAs(failure);
    }
    assertThat(history(board)).isEmpty();
  }

  @Test
  void bodyIsRunAgainAfterWhatItReadHasChanged() {
    AtomicInteger runs = new AtomicInteger();
    writeKeys(board, "k");
    int last =
        get(board.transaction(disturbed("k", runs, () -> other.write(text("k", "changed")))));
    assertThat(last).isEqualTo(2);
    assertThat(result()).isEqualTo("changed");
    assertThat(get(board.read("result")).orElseThrow().version()).isEqualTo(1);
  }

  @Test
  void entryThatCameOrWentOrBeganAnewHasChanged() {
    List<Supplier<CompletionStage<?>>> disturbances =
        List.of(
            () -> other.write(text("k", "came")),
            () -> other.delete("k"),
            () -> other.write(text("k", "came again")),
            // The same version as before, but not the same entry.
            () -> other.delete("k").thenCompose(gone -> other.write(text("k", "anew"))),
            other::clear);
    List<String> results = new ArrayList<>();
    for (Supplier<CompletionStage<?>> disturbance : disturbances) {
      AtomicInteger runs = new AtomicInteger();
      assertThat(get(board.transaction(disturbed("k", runs, disturbance)))).isEqualTo(2);
      results.add(result());
    }
    assertThat(results).containsExactly("came", "none", "came again", "anew", "none");
  }

  @Test
  void whatWasNotReadMayChange() {
    writeKeys(board, "k", "unread");
    AtomicInteger runs = new AtomicInteger();
    get(board.transaction(disturbed("k", runs, () -> other.delete("unread"))));
    assertThat(runs).hasValue(1);
  }

  @Test
  void transactionThatOnlyReadsIsCheckedToo() {
    AtomicInteger runs = new AtomicInteger();
    List<Write> both = List.of(text("a", "new"), text("b", "new"));
    writeKeys(board, "a", "b");
    List<String> seen =
        get(
            board.transaction(tx ->
                tx.read("a")
                    .thenCompose(a ->
                        atFirst(runs, () -> other.writeAll(both))
                            .thenCompose(done -> tx.read("b"))
                            .thenApply(b ->
                                List.of(
                                    a.orElseThrow().value().asText(),
                                    b.orElseThrow().value().asText())))));
    assertThat(seen).containsExactly("new", "new");
    assertThat(runs).hasValue(2);
  }

  @Test
  void transactionGivesUpWhenItsRetriesAreUsedUp() {
    AtomicInteger runs = new AtomicInteger();
    Function<Transaction, CompletionStage<Void>> hopeless =
        tx ->
            tx.read("k")
                .thenCompose(found -> other.write(text("k", "" + runs.incrementAndGet())))
                .thenCompose(written -> tx.write("k", "never"));
    assertFails(board.transaction(hopeless, RetryPolicy.NEVER), Reason.CONCURRENT_MODIFICATION);
    assertThat(runs).hasValue(1);
    assertFails(board.transaction(hopeless, THRICE), Reason.CONCURRENT_MODIFICATION);
    assertThat(runs).hasValue(4);
    assertThat(get(board.read("k")).orElseThrow().value().asText()).isEqualTo("4");
    assertThat(board.counters().concurrentModifications()).isEqualTo(2);
    assertThat(board.counters().retries()).isEqualTo(2);
    assertThat(board.counters().commits()).isZero();
  }

  @Test
  void expectedVersionIsComparedAtTheCommit() {
    writeKeys(board, "k");
    get(board.transaction(tx -> tx.write(text("k", "2").expectVersion(1))));
    assertThat(get(board.read("k")).orElseThrow().version()).isEqualTo(2);
    AtomicInteger runs = new AtomicInteger();
    assertFails(
        board.transaction(
            tx -> {
              runs.incrementAndGet();
              return tx.write(text("k", "3").expectVersion(1));
            },
            THRICE),
        Reason.CONCURRENT_MODIFICATION);
    assertThat(runs).hasValue(3);
    assertThat(get(board.read("k")).orElseThrow().version()).isEqualTo(2);
  }

  @Test
  void expectedVersionIsThatOfTheEntryAsTheTransactionSeesIt() {
    writeKeys(board, "k");
    get(
        board.transaction(tx ->
            tx.write(text("k", "2"))
                .thenCompose(done -> tx.write(text("k", "3").expectVersion(2)))
                .thenCompose(done -> tx.delete("none"))
                .thenCompose(done -> tx.write(text("none", "4").ifAbsent()))));
    assertThat(get(board.read("k")).orElseThrow().value().asText()).isEqualTo("3");
    assertThatThrownBy(() ->
            get(
                board.transaction(tx ->
                    tx.delete("k").thenCompose(d -> tx.write(text("k", "5").expectVersion(2))))))
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThat(get(board.read("k")).orElseThrow().value().asText()).isEqualTo("3");
  }

  @Test
  void entryThatIsReadTwiceIsTheSameEachTime() {
    AtomicInteger runs = new AtomicInteger();
    writeKeys(board, "k");
    List<String> seen = new ArrayList<>();
    get(
        board.transaction(tx ->
            tx.read("k", String.class)
                .thenAccept(first -> seen.add(first.orElseThrow()))
                .thenCompose(done -> atFirst(runs, () -> other.write(text("k", "changed"))))
                .thenCompose(done -> tx.readAll(List.of("k")))
                .thenAccept(again -> seen.add(again.getFirst().value().asText()))));
    assertThat(seen).containsExactly("k", "k", "changed", "changed");
  }

  @Test
  void valueOverTheLimitIsRefusedAtTheCommit() {
    String tooLong = "x".repeat(BlackboardSettings.DEFAULTS.maxValueBytes());
    assertThatThrownBy(() -> get(board.transaction(tx -> tx.write("k", tooLong))))
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("max-value-bytes");
    assertThat(history(board)).isEmpty();
  }

  @Test
  void deletionOfAnAbsentEntryIsNothing() {
    get(board.transaction(tx -> tx.delete("none")));
    assertThat(history(board)).isEmpty();
  }

  @Test
  void sentEntryIsInTheInboxOnceTheTransactionHasCommitted() {
    AtomicInteger runs = new AtomicInteger();
    get(
        board.transaction(tx ->
            tx.read("k")
                .thenCompose(found -> atFirst(runs, () -> other.write(text("k", ""))))
                .thenCompose(done -> tx.send(text("request:run:1", "" + runs.get()), "agent|1"))));
    assertThat(InboxContract.pending(blackboards.inbox(), scope))
        .singleElement()
        .isInstanceOfSatisfying(
            InboxMessage.Request.class,
            request -> {
              assertThat(request.recipient()).isEqualTo("agent|1");
              assertThat(request.value().asText()).isEqualTo("2");
            });
  }

  @Test
  void badKeyIsRefusedAtOnce() {
    assertThatThrownBy(() -> get(board.transaction(tx -> tx.write("a*", 1))))
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> get(board.transaction(tx -> tx.read("/a"))))
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> get(board.transaction(tx -> tx.delete(""))))
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void transactionIsOverWhenItsBodyHasEnded() {
    CompletableFuture<Transaction> escaped = new CompletableFuture<>();
    get(
        board.transaction(tx -> {
          escaped.complete(tx);
          return tx.write("k", 1);
        }));
    assertThatThrownBy(() -> get(escaped.join().write("k", 2)))
        .isInstanceOfAny(IllegalStateException.class, CompletionException.class);
    assertThat(count("k")).isEqualTo(1);
  }

  @Test
  void twoHundredThreadsIncrementingOneCounterLoseNoUpdate() {
    int threads = 200;
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int n = 0; n < threads; n++) {
        executor.execute(() -> get(board.transaction(increment("counter"))));
      }
    }
    assertThat(count("counter")).isEqualTo(threads);
    assertThat(get(board.read("counter")).map(Entry::version)).isEqualTo(Optional.of(200L));
    assertThat(board.counters().commits()).isEqualTo(threads);
  }
}
