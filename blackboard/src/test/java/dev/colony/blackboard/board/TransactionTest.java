package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.BoardStore.Change;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TransactionTest {

  private static final RetryPolicy THREE_TIMES =
      new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(1));

  private final TinyStore store = new TinyStore();
  private final List<Runnable> waiting = new ArrayList<>();
  private final Blackboard board =
      new Boards(THREE_TIMES, pause -> waiting::add, InstantSource.system())
          .open(store, "agent", BoardPolicies.NONE);
  private final Blackboard other =
      new Boards(THREE_TIMES, InstantSource.system()).open(store, "other", BoardPolicies.NONE);

  @Test
  void writesTakeEffectTogetherAtTheCommitAndNotBefore() {
    set("a", 1);
    run(tx -> {
      tx.write("a", 2);
      tx.write("b", 3);
      tx.delete("a");
      assertThat(value("a")).isEqualTo(1);
      assertThat(store.entries()).doesNotContainKey("b");
      return done();
    });
    assertThat(store.entries()).containsOnlyKeys("b");
    assertThat(store.commits().getLast().changes())
        .containsExactly(put("b", 3), new Change.Remove("a"));
  }

  @Test
  void aReadSeesTheTransactionsOwnWritesWithTheVersionTheyWillHave() {
    set("a", 1);
    set("a", 2);
    List<Optional<Entry>> seen = new ArrayList<>();
    run(tx -> {
      tx.write(Write.value("a", 3).tags("red"));
      tx.write("b", 1);
      tx.read("a").thenAccept(seen::add);
      tx.read("b").thenAccept(seen::add);
      tx.write("a", 4);
      tx.read("a").thenAccept(seen::add);
      tx.delete("a");
      tx.read("a").thenAccept(seen::add);
      tx.write("a", 5);
      tx.read("a").thenAccept(seen::add);
      return done();
    });
    assertThat(seen.stream().map(entry -> entry.map(Entry::version)))
        .containsExactly(
            Optional.of(3L), Optional.of(1L), Optional.of(3L), Optional.empty(), Optional.of(3L));
    Entry first = seen.getFirst().orElseThrow();
    assertThat(first.as(Integer.class)).isEqualTo(3);
    assertThat(first.tags()).containsExactly("red");
    assertThat(first.position()).isEqualTo(Position.BEGINNING);
    assertThat(first.createdBy()).isEqualTo("other");
    assertThat(first.updatedBy()).isEqualTo("agent");
    assertThat(store.entries().get("a").version()).isEqualTo(3);
    assertThat(store.entries().get("b").version()).isEqualTo(1);
  }

  @Test
  void aReadGivesTheSameEntryEachTimeAndTheChangeIsNoticedAtTheCommit() {
    set("a", 1);
    AtomicInteger runs = new AtomicInteger();
    CompletionStage<Integer> sum =
        board.transaction(tx ->
            tx.read("a", Integer.class)
                .thenCompose(first -> {
                  if (runs.incrementAndGet() == 1) {
                    set("a", 10);
                  }
                  return tx.read("a", Integer.class)
                      .thenApply(again -> first.orElseThrow() + again.orElseThrow());
                }));
    drain();
    assertThat(join(sum)).isEqualTo(20);
    assertThat(runs).hasValue(2);
    assertThat(board.counters().retries()).isEqualTo(1);
  }

  @Test
  void ofTwoReadsUnderWayTogetherTheFirstToComeCounts() {
    List<Runnable> due = new ArrayList<>();
    TinyStore slow = new TinyStore(due::add);
    Boards boards = new Boards(RetryPolicy.NEVER, InstantSource.system());
    boards.open(slow, "other", BoardPolicies.NONE).write(Write.value("a", 1));
    due.removeFirst().run();
    CompletionStage<Integer> difference =
        boards
            .open(slow, "agent", BoardPolicies.NONE)
            .transaction(tx ->
                tx.read("a", Integer.class)
                    .thenCombine(
                        tx.read("a", Integer.class),
                        (one, two) -> one.orElseThrow() - two.orElseThrow()));
    boards.open(slow, "other", BoardPolicies.NONE).write(Write.value("a", 2));
    // The first read, the write, the second read, the commit.
    due.removeFirst().run();
    due.removeLast().run();
    due.removeFirst().run();
    due.removeFirst().run();
    assertReason(difference, Reason.CONCURRENT_MODIFICATION);
  }

  @Test
  void whatWasAbsentMustStayAbsent() {
    AtomicInteger runs = new AtomicInteger();
    CompletionStage<Boolean> created =
        board.transaction(tx ->
            tx.read("a")
                .thenCompose(found -> {
                  if (runs.incrementAndGet() == 1) {
                    set("a", 1);
                  }
                  return found.isPresent()
                      ? CompletableFuture.completedStage(false)
                      : tx.write("a", 2).thenApply(nothing -> true);
                }));
    drain();
    assertThat(join(created)).isFalse();
    assertThat(value("a")).isEqualTo(1);
  }

  @Test
  void anEntryThatWentAndCameBackAtTheSameVersionIsNoticed() {
    set("a", 1);
    AtomicInteger runs = new AtomicInteger();
    CompletionStage<Integer> seen =
        board.transaction(tx ->
            tx.read("a", Integer.class)
                .thenApply(found -> {
                  if (runs.incrementAndGet() == 1) {
                    join(other.delete("a"));
                    set("a", 5);
                  }
                  return found.orElseThrow();
                }));
    drain();
    assertThat(join(seen)).isEqualTo(5);
  }

  @Test
  void expectedVersionsAreOfTheEntryAsTheTransactionSeesIt() {
    set("a", 1);
    run(tx -> {
      tx.write(Write.value("a", 2).expectVersion(1));
      tx.write(Write.value("a", 3).expectVersion(2));
      tx.delete("a");
      tx.write(Write.value("a", 4).ifAbsent());
      tx.write(Write.value("b", 5).ifAbsent());
      return done();
    });
    assertThat(value("a")).isEqualTo(4);
    assertThat(value("b")).isEqualTo(5);
  }

  @Test
  void anExpectedVersionThatDoesNotHoldIsAConflict() {
    set("a", 1);
    CompletionStage<Void> beforeAnything =
        board.transaction(tx -> tx.write(Write.value("a", 2).ifAbsent()));
    CompletionStage<Void> afterAWrite =
        board.transaction(tx ->
            tx.write("a", 2).thenCompose(next -> tx.write(Write.value("a", 3).expectVersion(3))));
    drain();
    assertReason(beforeAnything, Reason.CONCURRENT_MODIFICATION);
    assertReason(afterAWrite, Reason.CONCURRENT_MODIFICATION);
    assertThat(value("a")).isEqualTo(1);
  }

  @Test
  void anExpectedVersionThatTheTransactionItselfRulesOutIsRefusedAtOnce() {
    assertThatThrownBy(() ->
            run(tx -> {
              tx.write("a", 1);
              return tx.write(Write.value("a", 2).ifAbsent());
            }))
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"a\" cannot have version 0: this transaction has written it");
    assertThatThrownBy(() ->
            run(tx -> {
              tx.delete("a");
              return tx.write(Write.value("a", 2).expectVersion(1));
            }))
        .hasMessageContaining("\"a\" cannot have version 1: this transaction has deleted it");
    assertThat(store.commits()).isEmpty();
  }

  @Test
  void givesUpAfterItsAttemptsNamingTheKey() {
    AtomicInteger runs = new AtomicInteger();
    CompletionStage<Void> hopeless =
        board.transaction(tx ->
            tx.read("hot")
                .thenCompose(found -> {
                  set("hot", runs.incrementAndGet());
                  return tx.write("mine", 1);
                }));
    drain();
    assertThatThrownBy(() -> join(hopeless))
        .cause()
        .isInstanceOfSatisfying(
            BlackboardException.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reason.CONCURRENT_MODIFICATION);
              assertThat(failure.retryable()).isTrue();
            })
        .hasMessageContaining("\"hot\", now at version 3")
        .hasMessageContaining("the transaction's 3 attempts");
    assertThat(runs).hasValue(3);
    assertThat(store.entries()).doesNotContainKey("mine");
    assertThat(board.counters().concurrentModifications()).isEqualTo(1);
    assertThat(board.counters().retries()).isEqualTo(2);
  }

  @Test
  void aPolicyOfTheCallTakesTheBoardsPlace() {
    AtomicInteger runs = new AtomicInteger();
    CompletionStage<Void> once =
        board.transaction(
            tx ->
                tx.read("hot")
                    .thenCompose(found -> {
                      set("hot", runs.incrementAndGet());
                      return tx.write("mine", 1);
                    }),
            RetryPolicy.NEVER);
    assertReason(once, Reason.CONCURRENT_MODIFICATION);
    assertThat(waiting).isEmpty();
  }

  @Test
  void theBodysOwnFailureEndsItWithoutAWrite() {
    IllegalStateException own = new IllegalStateException("no");
    CompletionStage<Void> thrown =
        board.transaction(tx -> {
          tx.write("a", 1);
          throw own;
        });
    CompletionStage<Void> failed =
        board.transaction(
            tx -> tx.write("a", 1).thenCompose(next -> CompletableFuture.failedStage(own)));
    CompletionStage<Void> none = board.transaction(tx -> null);
    assertThatThrownBy(() -> join(thrown)).hasCause(own);
    assertThatThrownBy(() -> join(failed)).hasCause(own);
    assertThatThrownBy(() -> join(none)).hasMessageContaining("must return a stage");
    assertThat(store.commits()).isEmpty();
  }

  @Test
  void aTransactionThatOnlyReadsIsCheckedToo() {
    set("a", 1);
    set("b", 1);
    AtomicInteger runs = new AtomicInteger();
    CompletionStage<Integer> sum =
        board.transaction(tx ->
            tx.read("a", Integer.class)
                .thenCompose(a -> {
                  if (runs.incrementAndGet() == 1) {
                    join(other.writeAll(List.of(Write.value("a", 2), Write.value("b", 0))));
                  }
                  return tx.read("b", Integer.class)
                      .thenApply(b -> a.orElseThrow() + b.orElseThrow());
                }));
    drain();
    assertThat(join(sum)).isEqualTo(2);
    assertThat(runs).hasValue(2);
  }

  @Test
  void readAllReadsWhatIsMissingAtOnceAndKeepsTheOrder() {
    set("a", 1);
    set("b", 2);
    List<Entry> seen =
        run(tx -> {
          tx.write("c", 3);
          tx.delete("b");
          return tx.readAll(List.of("c", "b", "missing", "a"));
        });
    assertThat(seen.stream().map(Entry::key)).containsExactly("c", "a");
  }

  @Test
  void aTreeThatGoesOnChangingDoesNotChangeWhatWasWritten() {
    ObjectNode tree = JsonNodeFactory.instance.objectNode().put("n", 1);
    run(tx -> {
      tx.write(Write.of("a", tree));
      tree.put("n", 2);
      tx.read("a").thenAccept(seen -> ((ObjectNode) seen.orElseThrow().value()).put("n", 3));
      return done();
    });
    assertThat(store.entries().get("a").value().path("n").intValue()).isEqualTo(1);
  }

  @Test
  void theRecipientOfASendTravelsWithTheCommit() {
    run(tx -> tx.send(Write.value("request:run:1", "go"), "reviewer"));
    assertThat(store.commits().getLast().changes())
        .singleElement()
        .isInstanceOfSatisfying(
            Change.Put.class, put -> assertThat(put.recipient()).contains("reviewer"));
  }

  @Test
  void aCallAfterTheEndIsRefused() {
    AtomicReference<Transaction> kept = new AtomicReference<>();
    run(tx -> {
      kept.set(tx);
      return done();
    });
    assertThatThrownBy(() -> kept.get().write("a", 1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> kept.get().read("a")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> kept.get().delete("a")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void cancellingEndsTheRetriesAndWritesNothing() {
    CompletableFuture<Integer> slow = new CompletableFuture<>();
    CompletableFuture<Integer> result =
        board.transaction(tx -> tx.write("a", 1).thenCompose(next -> slow)).toCompletableFuture();
    result.cancel(false);
    slow.complete(1);
    assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
    assertThat(store.commits()).isEmpty();

    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<Void> retried =
        board
            .transaction(tx ->
                tx.read("hot")
                    .thenCompose(found -> {
                      set("hot", runs.incrementAndGet());
                      return tx.write("a", 1);
                    }))
            .toCompletableFuture();
    retried.cancel(false);
    drain();
    assertThat(runs).hasValue(1);
  }

  @Test
  void aFailureOfTheBackendIsNotTriedAgain() {
    store.failWith(new BlackboardException(Reason.TIMEOUT, "no answer"));
    AtomicInteger runs = new AtomicInteger();
    CompletionStage<Void> result =
        board.transaction(tx -> {
          runs.incrementAndGet();
          return tx.write("a", 1);
        });
    assertReason(result, Reason.TIMEOUT);
    assertThat(runs).hasValue(1);
    assertThat(board.counters().failures()).isEqualTo(1);
  }

  private void set(String key, int value) {
    join(other.write(Write.value(key, value)));
  }

  private int value(String key) {
    return store.entries().get(key).as(Integer.class);
  }

  private <T> T run(Function<Transaction, CompletionStage<T>> body) {
    return join(board.transaction(body));
  }

  private void drain() {
    while (!waiting.isEmpty()) {
      waiting.removeFirst().run();
    }
  }

  private static Change put(String key, int value) {
    Write write = Write.value(key, value);
    return new Change.Put(
        key, write.value(), write.tags(), write.metadata(), write.ttl(), Optional.empty(), false);
  }

  private static CompletionStage<Void> done() {
    return CompletableFuture.completedStage(null);
  }

  private static <T> T join(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    assertThat(future).as("the tiny store answers at once").isDone();
    return future.join();
  }

  private static void assertReason(CompletionStage<?> stage, Reason reason) {
    assertThatThrownBy(() -> join(stage))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.reason()).isEqualTo(reason));
  }
}
