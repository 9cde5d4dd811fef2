package dev.colony.blackboard.board;

import dev.colony.blackboard.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** The calls of a transaction's body, one after the other. */
public record TransactionScript(List<Call> calls) {

  /** One call. */
  public sealed interface Call {

    String key();

    record Read(String key) implements Call {}

    /** Writes one more than the sum of what was read so far. */
    record Add(String key) implements Call {}

    record Delete(String key) implements Call {}
  }

  /** An entry as a transaction sees it, and as the model has it. */
  public record Cell(int value, long version) {}

  /**
   * Makes the calls.
   *
   * @param seen what the reads show, in their order; of an earlier run nothing stays
   */
  CompletionStage<Void> run(Transaction transaction, List<Optional<Cell>> seen) {
    seen.clear();
    CompletionStage<Void> before = CompletableFuture.completedStage(null);
    for (Call call : calls) {
      before =
          before.thenCompose(done ->
              switch (call) {
                case Call.Read read ->
                    transaction
                        .read(read.key())
                        .thenAccept(found ->
                            seen.add(
                                found.map(
                                    entry -> new Cell(entry.as(Integer.class), entry.version()))));
                case Call.Add add -> transaction.write(add.key(), 1 + sum(seen));
                case Call.Delete delete -> transaction.delete(delete.key());
              });
    }
    return before;
  }

  /**
   * Makes the calls on a plain map, alone.
   *
   * @param model takes the writes
   * @return what the reads show
   */
  List<Optional<Cell>> replay(Map<String, Cell> model) {
    List<Optional<Cell>> seen = new ArrayList<>();
    Map<String, Optional<Cell>> own = new HashMap<>();
    for (Call call : calls) {
      Optional<Cell> before = Optional.ofNullable(model.get(call.key()));
      switch (call) {
        case Call.Read read -> seen.add(own.getOrDefault(read.key(), before));
        case Call.Add add ->
            own.put(
                add.key(),
                Optional.of(new Cell(1 + sum(seen), 1 + before.map(Cell::version).orElse(0L))));
        case Call.Delete delete -> own.put(delete.key(), Optional.empty());
      }
    }
    own.forEach((key, cell) ->
        cell.ifPresentOrElse(there -> model.put(key, there), () -> model.remove(key)));
    return seen;
  }

  private static int sum(List<Optional<Cell>> seen) {
    return seen.stream().flatMap(Optional::stream).mapToInt(Cell::value).sum();
  }

  /** Some calls on few keys. */
  static Arbitrary<TransactionScript> scripts() {
    Arbitrary<String> keys = Arbitraries.of("a", "b", "c");
    Arbitrary<Call> calls =
        Combinators.combine(keys, Arbitraries.integers().between(0, 4))
            .as((key, kind) ->
                switch (kind) {
                  case 0, 1 -> new Call.Read(key);
                  case 2, 3 -> new Call.Add(key);
                  default -> new Call.Delete(key);
                });
    return calls.list().ofMinSize(1).ofMaxSize(6).map(TransactionScript::new);
  }
}
