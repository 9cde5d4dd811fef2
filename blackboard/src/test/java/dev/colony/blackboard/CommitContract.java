package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.blackboard.CommitResult.Committed;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Writes under a condition and writes made at once: all or nothing. */
abstract class CommitContract extends Contract {

  CommitContract(BlackboardContract backend) {
    super(backend);
  }

  @Test
  void unexpectedVersionChangesNothingAndIsTold() {
    Blackboard board = board();
    assertThat(get(board.write(text("k", "x").expectVersion(1))))
        .isEqualTo(new WriteResult.VersionConflict(0));
    written(board.write(text("k", "1").ifAbsent()), 1);
    written(board.write(text("k", "2").expectVersion(1)), 2);

    for (Write refused :
        List.of(
            text("k", "3").ifAbsent(),
            text("k", "3").expectVersion(1),
            text("k", "3").expectVersion(3))) {
      assertThat(get(board.write(refused))).isEqualTo(new WriteResult.VersionConflict(2));
    }
    assertThat(get(board.read("k")).orElseThrow().value().asText()).isEqualTo("2");
    assertThat(history(board))
        .extracting(Contract::brief)
        .containsExactly("WRITTEN k 0", "WRITTEN k 1");
  }

  @Test
  void writesMadeAtOnceAreStoredOneAfterTheOther() {
    Blackboard board = board();
    written(board.write(text("b", "old").tags("x")), 1);
    Committed done =
        committed(
            board.writeAll(
                List.of(
                    text("c", "1").tags("t"),
                    text("b", "2").expectVersion(1),
                    text("a", "3").ifAbsent().ttl(Duration.ofHours(1)))));
    assertThat(done.written()).extracting(WriteResult.Written::version).containsExactly(1L, 2L, 1L);
    assertThat(done.written())
        .extracting(written -> written.position().ordinal())
        .containsExactly(2L, 3L, 4L);
    assertThat(done.position()).isEqualTo(done.written().getLast().position());
    assertThat(history(board))
        .extracting(Contract::brief)
        .containsExactly("WRITTEN b 0", "WRITTEN c 0", "WRITTEN b 1", "WRITTEN a 0");
    assertThat(get(board.readAll(List.of("a", "b", "c"))))
        .extracting(entry -> entry.value().asText())
        .containsExactly("3", "2", "1");
    assertThat(keys(board, Query.all().allTags("t"))).containsExactly("c");
  }

  @Test
  void oneConflictKeepsAllFromBeingStored() {
    Blackboard board = board();
    written(board.write(text("b", "old")), 1);
    assertThat(
            get(
                board.writeAll(
                    List.of(text("a", ""), text("b", "").expectVersion(7), text("c", "")))))
        .isEqualTo(new CommitResult.Conflict("b", 1));
    assertThat(get(board.writeAll(List.of(text("a", ""), text("c", "").expectVersion(1)))))
        .isEqualTo(new CommitResult.Conflict("c", 0));
    assertThat(keys(board, Query.all())).containsExactly("b");
    assertThat(history(board)).hasSize(1);
  }

  @Test
  void expectedVersionsAreThoseBeforeTheCommit() {
    Blackboard board = board();
    Committed done =
        committed(board.writeAll(List.of(text("k", "1").ifAbsent(), text("k", "2").ifAbsent())));
    assertThat(done.written()).extracting(WriteResult.Written::version).containsExactly(1L, 2L);
    assertThat(get(board.read("k")).orElseThrow().value().asText()).isEqualTo("2");
    assertThat(get(board.writeAll(List.of(text("k", "3"), text("k", "4").expectVersion(3)))))
        .isEqualTo(new CommitResult.Conflict("k", 2));
  }

  @Test
  void noWritesAreACommitToo() {
    Blackboard board = board();
    assertThat(committed(board.writeAll(List.of())))
        .isEqualTo(new Committed(List.of(), Position.BEGINNING));
    Position head = written(board.write(text("k", "")), 1);
    assertThat(committed(board.writeAll(List.of()))).isEqualTo(new Committed(List.of(), head));
    assertThat(history(board)).hasSize(1);
  }

  @Test
  void commitOfManyWritesIsSeenWholeOrNotAtAll() {
    Blackboard board = board();
    int keys = 5;
    int rounds = 40;
    List<String> names = IntStream.range(0, keys).mapToObj(n -> "k" + n).toList();
    List<CompletionStage<CommitResult>> commits =
        IntStream.range(0, rounds)
            .mapToObj(round ->
                board.writeAll(
                    names.stream().map(key -> Write.of(key, IntNode.valueOf(round))).toList()))
            .toList();
    List<CompletionStage<List<Entry>>> reads =
        IntStream.range(0, rounds).mapToObj(n -> board.readAll(names)).toList();
    commits.forEach(Contract::committed);
    for (CompletionStage<List<Entry>> read : reads) {
      assertThat(get(read).stream().map(Entry::value).distinct().count()).isLessThanOrEqualTo(1);
      assertThat(get(read).size()).isIn(0, keys);
    }
    assertThat(history(board).stream().map(BlackboardEvent::position).map(Position::ordinal))
        .isEqualTo(IntStream.rangeClosed(1, keys * rounds).mapToObj(Long::valueOf).toList());
  }

  @Test
  void concurrentOptimisticWritersLoseNothing() {
    Blackboards blackboards = blackboards();
    int writers = 6;
    int each = 25;
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      for (int w = 0; w < writers; w++) {
        Blackboard board = blackboards.open(scope, "w" + w);
        threads.execute(() -> IntStream.range(0, each).forEach(n -> increment(board)));
      }
    }
    Entry entry = get(blackboards.open(scope, "r").read("counter")).orElseThrow();
    assertThat(entry.value().asInt()).isEqualTo(writers * each);
    assertThat(entry.version()).isEqualTo(writers * each);
  }

  /** Adds one, however often another writer comes between. */
  private static void increment(Blackboard board) {
    while (true) {
      Optional<Entry> now = get(board.read("counter"));
      int next = now.map(entry -> entry.value().asInt()).orElse(0) + 1;
      Write write =
          Write.of("counter", IntNode.valueOf(next))
              .expectVersion(now.map(Entry::version).orElse(0L));
      if (get(board.write(write)) instanceof WriteResult.Written) {
        return;
      }
    }
  }
}
