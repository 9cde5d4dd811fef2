package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.BoardStore.Commit;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Agents may do nothing with secrets, and write no text that says "bad". */
class BoardPoliciesTest {

  private static final BoardPolicies POLICIES =
      BoardPolicies.NONE
          .access((agent, operation, key) ->
              key.startsWith("secret") || key.isEmpty()
                  ? Optional.of("it is a secret")
                  : Optional.empty())
          .validation(write ->
              write.value().asText().equals("bad") ? Optional.of("it says bad") : Optional.empty());

  private final TinyStore store = new TinyStore();
  private final Boards boards = new Boards(RetryPolicy.NEVER, InstantSource.system());
  private final Blackboard free = boards.open(store, "lead", BoardPolicies.NONE);
  private final Blackboard board = boards.open(store, "intern", POLICIES);

  @Test
  void refusedCallsNameAgentOperationAndKeyAndReachNoBackend() {
    assertRefused(board.read("secret:1"), "intern may not read \"secret:1\": it is a secret");
    assertRefused(board.readAll(List.of("a", "secret:1")), "may not read \"secret:1\"");
    assertRefused(board.write(Write.value("secret:1", 1)), "may not write \"secret:1\"");
    assertRefused(board.send(Write.value("secret:1", 1), "x"), "may not write \"secret:1\"");
    assertRefused(
        board.writeAll(List.of(Write.value("a", 1), Write.value("secret:1", 1))),
        "may not write \"secret:1\"");
    assertRefused(board.delete("secret:1"), "may not delete \"secret:1\"");
    assertRefused(board.clear(), "may not clear the scope");
    assertThat(store.commits()).isEmpty();
    assertThat(board.counters().refusals()).isEqualTo(7);
    assertThat(board.counters().reads() + board.counters().writes()).isZero();
  }

  @Test
  void invalidValuesAreRefusedByKeyAndReason() {
    assertInvalid(board.write(Write.value("note", "bad")));
    assertInvalid(board.send(Write.value("note", "bad"), "x"));
    assertInvalid(board.writeAll(List.of(Write.value("a", 1), Write.value("note", "bad"))));
    assertInvalid(board.transaction(tx -> tx.write("note", "bad")));
    assertThat(store.commits()).isEmpty();
    assertThat(board.counters().refusals()).isEqualTo(4);
  }

  @Test
  void aTransactionWithARefusedCallWritesNothingWhateverItsBodyMakesOfIt() {
    assertRefused(
        board.transaction(tx -> {
          tx.write("a", 1);
          tx.write("secret:1", 1);
          return tx.write("b", 1);
        }),
        "may not write \"secret:1\"");
    assertRefused(
        board.transaction(tx -> tx.delete("secret:1").exceptionally(refused -> null)),
        "may not delete \"secret:1\"");
    assertRefused(
        board.transaction(tx -> tx.read("secret:1").handle((entry, refused) -> tx.write("a", 1))),
        "may not read \"secret:1\"");
    assertRefused(
        board.transaction(tx -> tx.readAll(List.of("a", "secret:1"))), "may not read \"secret:1\"");
    assertInvalid(
        board.transaction(tx -> {
          tx.write("note", "bad");
          return CompletableFuture.completedStage(1);
        }));
    assertThat(store.commits()).isEmpty();
  }

  @Test
  void queriesLeaveOutWhatMayNotBeReadAndStillFindEverythingElse() {
    List<String> readable = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      write("secret:" + i);
      write("open:" + i);
      write("x:" + i);
      readable.addAll(List.of("open:" + i, "x:" + i));
    }
    List<String> found = new ArrayList<>();
    Optional<Query> next = Optional.of(Query.all().limit(4));
    while (next.isPresent()) {
      Query query = next.get();
      EntryPage page = join(board.query(query));
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(4);
      page.entries().forEach(entry -> found.add(entry.key()));
      next = page.next().map(query::from);
    }
    assertThat(found).containsExactlyElementsOf(readable.stream().sorted().toList());
  }

  @Test
  void historyGivesAsManyEventsAsAskedForThatMayBeRead() {
    write("open:0");
    IntStream.range(0, 500).forEach(i -> write("secret:" + i));
    write("open:1");
    write("secret:last");
    write("open:2");
    assertThat(history(Position.BEGINNING, 2)).containsExactly("open:0", "open:1");
    assertThat(history(Position.BEGINNING, 9)).containsExactly("open:0", "open:1", "open:2");
    BlackboardEvent second =
        board.history(EventFilter.all(), Position.BEGINNING, 2).toCompletableFuture().join().get(1);
    assertThat(history(second.position(), 9)).containsExactly("open:2");
  }

  @Test
  void theEvictionGoesWithWhatIsWrittenAndRead() {
    Eviction eviction = new Eviction(Eviction.Order.OLDEST, 3);
    Blackboard small = boards.open(store, "small", BoardPolicies.NONE.eviction(eviction));
    join(small.write(Write.value("a", 1)));
    join(small.transaction(tx -> tx.write("b", 1)));
    join(small.delete("a"));
    join(small.transaction(tx -> tx.read("b")));
    assertThat(store.commits().stream().map(Commit::eviction))
        .containsExactly(
            Optional.of(eviction), Optional.of(eviction), Optional.empty(), Optional.empty());
  }

  private List<String> history(Position after, int limit) {
    return board.history(EventFilter.all(), after, limit).toCompletableFuture().join().stream()
        .map(event -> event.entryKey().orElseThrow())
        .toList();
  }

  private void write(String key) {
    join(free.write(Write.value(key, 1)));
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static void assertRefused(CompletionStage<?> stage, String message) {
    assertFailed(stage, Reason.ACCESS_DENIED, message);
  }

  private static void assertInvalid(CompletionStage<?> stage) {
    assertFailed(stage, Reason.INVALID_VALUE, "the value of \"note\" is refused: it says bad");
  }

  private static void assertFailed(CompletionStage<?> stage, Reason reason, String message) {
    assertThatThrownBy(() -> join(stage))
        .cause()
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.reason()).isEqualTo(reason))
        .hasMessageContaining(message);
  }
}
