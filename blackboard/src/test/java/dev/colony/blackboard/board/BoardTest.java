package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.CommitResult;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BoardTest {

  private final TinyStore store = new TinyStore();
  private final Boards boards = new Boards(RetryPolicy.NEVER, InstantSource.system());
  private final Blackboard board = boards.open(store, "agent", BoardPolicies.NONE);

  @Test
  void badNamesAreRefusedAtOnceEverywhere() {
    Write bad = Write.value("a*", 1);
    assertRefusedAtOnce(() -> board.write(bad));
    assertRefusedAtOnce(() -> board.send(bad, "x"));
    assertRefusedAtOnce(() -> board.writeAll(List.of(Write.value("a", 1), bad)));
    assertRefusedAtOnce(() -> board.read(""));
    assertRefusedAtOnce(() -> board.readAll(List.of("a", "/b")));
    assertRefusedAtOnce(() -> board.delete("tenant:x"));
    assertRefusedAtOnce(() -> board.history(EventFilter.all(), Position.BEGINNING, 0));
    assertRefusedAtOnce(() -> board.acknowledge("my dashboard", Position.BEGINNING));
    assertRefusedAtOnce(() -> board.forget(""));
    assertRefusedAtOnce(() -> Query.all().anyTags("ok", ""));
    assertRefusedAtOnce(() -> EventFilter.tag("a\nb"));
    assertRefusedAtOnce(() -> board.wakeOn("x", Collections.nCopies(17, new KeyGlob("a*"))));
    assertRefusedAtOnce(() -> board.wakeOn("x", List.of(new KeyGlob("*a*b*c*d*"))));
    assertThatThrownBy(() -> join(board.transaction(tx -> tx.read("a?"))))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
    assertThat(store.commits()).isEmpty();
  }

  @Test
  void listenerHearsWhatBecameOfEachCall() {
    List<String> heard = new ArrayList<>();
    BlackboardListener listener =
        new BlackboardListener() {
          @Override
          public void answered(Call call, Duration took, Optional<Reason> failure) {
            assertThat(took.isNegative()).isFalse();
            heard.add(call + failure.map(reason -> " " + reason).orElse(""));
          }
        };
    Blackboard told =
        new Boards(RetryPolicy.NEVER, InstantSource.system(), listener)
            .open(store, "agent", BoardPolicies.NONE);
    join(told.write(Write.value("a", 1)));
    join(told.write(Write.value("a", 1).ifAbsent()));
    join(told.read("a"));
    store.failWith(new BlackboardException(Reason.TIMEOUT, "no answer"));
    assertThatThrownBy(() -> join(told.delete("a"))).isNotNull();
    assertThat(heard).containsExactly("COMMIT", "COMMIT", "READ", "COMMIT TIMEOUT");
  }

  @Test
  void writeAllIsOneCommitWithTheVersionsBeforeIt() {
    join(board.write(Write.value("a", 1)));
    CommitResult result =
        join(
            board.writeAll(
                List.of(
                    Write.value("a", 2).expectVersion(1),
                    Write.value("b", 1).ifAbsent(),
                    Write.value("a", 3).expectVersion(1))));
    assertThat(result)
        .isEqualTo(
            new CommitResult.Committed(
                List.of(written(2, 2), written(1, 3), written(3, 4)), new Position(1, 4)));
    assertThat(
            join(
                board.writeAll(List.of(Write.value("c", 1), Write.value("a", 4).expectVersion(1)))))
        .isEqualTo(new CommitResult.Conflict("a", 3));
    assertThat(store.entries()).containsOnlyKeys("a", "b");
    assertThat(join(board.writeAll(List.of())))
        .isEqualTo(new CommitResult.Committed(List.of(), new Position(1, 4)));
  }

  @Test
  void countsWhatIsAskedForOfEachBoardAndOfAll() {
    Blackboard other = boards.open(store, "other", BoardPolicies.NONE);
    join(board.write(Write.value("a", 1)));
    join(board.write(Write.value("a", 1).ifAbsent()));
    join(board.writeAll(List.of(Write.value("b", 1), Write.value("c", 1).expectVersion(9))));
    join(board.read("a"));
    join(board.readAll(List.of("a", "b")));
    join(board.query(Query.all()));
    join(board.delete("a"));
    join(board.clear());
    join(other.transaction(tx -> tx.read("a").thenCompose(found -> tx.delete("a"))));
    store.failWith(new BlackboardException(Reason.TIMEOUT, "no answer"));
    assertThatThrownBy(() -> join(other.read("a"))).hasRootCauseMessage("no answer");
    assertThatThrownBy(() -> join(other.statistics())).hasRootCauseMessage("no answer");
    BlackboardCounters mine = new BlackboardCounters(3, 1, 4, 1, 1, 2, 0, 0, 0, 0, 0, 0);
    BlackboardCounters theirs = new BlackboardCounters(2, 0, 0, 1, 0, 0, 1, 0, 0, 0, 2, 0);
    assertThat(board.counters()).isEqualTo(mine);
    assertThat(other.counters()).isEqualTo(theirs);
    assertThat(boards.counters())
        .isEqualTo(new BlackboardCounters(5, 1, 4, 2, 1, 2, 1, 0, 0, 0, 2, 0));
  }

  private static WriteResult.Written written(long version, long ordinal) {
    return new WriteResult.Written(version, new Position(1, ordinal));
  }

  private static void assertRefusedAtOnce(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
