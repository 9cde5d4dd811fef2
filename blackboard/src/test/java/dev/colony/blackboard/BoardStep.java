package dev.colony.blackboard;

import static dev.colony.blackboard.Contract.get;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** One operation, done to a blackboard and to the model; both answer in the same words. */
public sealed interface BoardStep {

  String on(Blackboard board);

  /**
   * @param now by the clock of the backend
   */
  String on(BoardModel model, Instant now);

  /** Writes at once. */
  record Writes(List<Write> writes) implements BoardStep {

    @Override
    public String on(Blackboard board) {
      return switch (get(board.writeAll(writes))) {
        case CommitResult.Committed done ->
            done.written().stream().map(WriteResult.Written::version).toList().toString();
        case CommitResult.Conflict conflict -> conflict.key() + " is " + conflict.actualVersion();
      };
    }

    @Override
    public String on(BoardModel model, Instant now) {
      for (Write write : writes) {
        OptionalLong expected = write.expectedVersion();
        if (expected.isPresent() && expected.getAsLong() != model.version(write.key())) {
          return write.key() + " is " + model.version(write.key());
        }
      }
      List<Long> versions =
          writes.stream()
              .map(write -> {
                model.put(write.key(), write.value().asText(), write.tags(), write.ttl(), now);
                return model.version(write.key());
              })
              .toList();
      model.evict(writes.stream().map(Write::key).collect(Collectors.toSet()));
      return versions.toString();
    }
  }

  record Read(String key) implements BoardStep {

    @Override
    public String on(Blackboard board) {
      return "" + get(board.read(key)).map(Entry::version).orElse(0L);
    }

    @Override
    public String on(BoardModel model, Instant now) {
      model.read(key);
      return "" + model.version(key);
    }
  }

  record Delete(String key) implements BoardStep {

    @Override
    public String on(Blackboard board) {
      return "" + get(board.delete(key));
    }

    @Override
    public String on(BoardModel model, Instant now) {
      return "" + model.delete(key);
    }
  }

  record Clear() implements BoardStep {

    @Override
    public String on(Blackboard board) {
      return "" + get(board.clear());
    }

    @Override
    public String on(BoardModel model, Instant now) {
      return "" + model.clear();
    }
  }

  /**
   * @param ttls in milliseconds; none for writes without one
   */
  static Arbitrary<BoardStep> any(Long... ttls) {
    Arbitrary<String> keys = Arbitraries.of("a", "b", "c", "d:1", "d:2", "日");
    Arbitrary<Optional<Duration>> times =
        ttls.length == 0
            ? Arbitraries.just(Optional.empty())
            : Arbitraries.of(ttls).map(Duration::ofMillis).optional(0.6);
    Arbitrary<Write> writes =
        Combinators.combine(
                keys,
                Arbitraries.of("1", "2", "3"),
                Arbitraries.of("x", "y").set(),
                times,
                Arbitraries.longs().between(0, 3).optional(0.4))
            .as((key, value, tags, ttl, expected) -> {
              Write write = Contract.text(key, value).tags(tags.toArray(String[]::new));
              Write timed = ttl.map(write::ttl).orElse(write);
              return expected.map(timed::expectVersion).orElse(timed);
            });
    return Arbitraries.frequencyOf(
        Tuple.of(8, writes.list().ofMinSize(1).ofMaxSize(3).map(Writes::new)),
        Tuple.of(3, keys.map(Read::new)),
        Tuple.of(3, keys.map(Delete::new)),
        Tuple.of(1, Arbitraries.create(Clear::new)));
  }
}
