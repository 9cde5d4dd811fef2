package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.CommitResult.Committed;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;

/** One part of what every backend promises. Each test works in a tenant of its own. */
abstract class Contract {

  private final BlackboardContract backend;
  final String tenant = "t" + UUID.randomUUID();
  final Scope scope = Scope.agent(tenant, "c", "a");

  Contract(BlackboardContract backend) {
    this.backend = backend;
  }

  /** Goes on only where large values lie in the backend itself. */
  final void assumeValuesAreHeld() {
    Assumptions.assumeTrue(backend.holdsValues(), "values lie outside");
  }

  /** The backend, closed after the test; asked for once in a test. */
  final Blackboards blackboards(BlackboardSettings settings) {
    return backend.open(settings);
  }

  final Blackboards blackboards() {
    return blackboards(BlackboardSettings.DEFAULTS);
  }

  final Blackboard board() {
    return blackboards().open(scope, "writer");
  }

  static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** Writes, and asserts that it makes this version. */
  static Position written(CompletionStage<WriteResult> stage, long version) {
    WriteResult result = get(stage);
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    WriteResult.Written written = (WriteResult.Written) result;
    assertThat(written.version()).isEqualTo(version);
    return written.position();
  }

  static Committed committed(CompletionStage<CommitResult> stage) {
    CommitResult result = get(stage);
    assertThat(result).isInstanceOf(Committed.class);
    return (Committed) result;
  }

  static Write text(String key, String value) {
    return Write.of(key, TextNode.valueOf(value));
  }

  /** Writes each key for the first time, one after the other. */
  static void writeKeys(Blackboard board, String... keys) {
    for (String key : keys) {
      written(board.write(text(key, key)), 1);
    }
  }

  /** Writes k{n} with the value n, all under way at once. */
  static void writeAll(Blackboard board, int from, int to) {
    List<CompletionStage<WriteResult>> writes = new ArrayList<>();
    for (int n = from; n < to; n++) {
      writes.add(board.write(Write.of("k" + n, IntNode.valueOf(n))));
    }
    writes.forEach(Contract::get);
  }

  /** All stored events. */
  static List<BlackboardEvent> history(Blackboard board) {
    return get(board.history(EventFilter.all(), Position.BEGINNING, 10_000));
  }

  static List<String> keys(Blackboard board, Query query) {
    return get(board.query(query)).entries().stream().map(Entry::key).toList();
  }

  /** An event in short, for example {@code WRITTEN k 1}: type, key, version before it. */
  static String brief(BlackboardEvent event) {
    return switch (event) {
      case BlackboardEvent.OfEntry one ->
          "%s %s %d".formatted(one.type(), one.key(), one.oldVersion());
      case BlackboardEvent.Cleared all -> "CLEARED " + all.entries();
    };
  }

  static void assertFails(CompletionStage<?> stage, Reason reason) {
    assertThatThrownBy(() -> get(stage))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.reason()).isEqualTo(reason));
  }

  static void assertLost(Recorder recorder) {
    assertFailed(recorder, Reason.EVENTS_LOST);
  }

  static void assertFailed(Recorder recorder, Reason reason) {
    assertThat(recorder.failure())
        .isInstanceOfSatisfying(
            BlackboardException.class, failure -> assertThat(failure.reason()).isEqualTo(reason));
  }

  static void assertSequence(Recorder recorder, int count) {
    assertThat(recorder.keys())
        .isEqualTo(IntStream.range(0, count).mapToObj(n -> "k" + n).toList());
    assertGrowing(recorder.events());
  }

  static void assertGrowing(List<BlackboardEvent> events) {
    for (int i = 1; i < events.size(); i++) {
      assertThat(events.get(i).position()).isGreaterThan(events.get(i - 1).position());
    }
  }
}
