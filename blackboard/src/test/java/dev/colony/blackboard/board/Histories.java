package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.board.TransactionScript.Cell;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether transactions that ran together did what they would have done one after the other. */
final class Histories {

  /**
   * A transaction that was committed.
   *
   * @param seen what the reads of its last run have shown
   */
  record Ran(String writer, TransactionScript script, List<Optional<Cell>> seen) {}

  private Histories() {}

  /**
   * Replays them in the order of their commits.
   *
   * @param order their writers, in that order
   * @return what is there in the end
   */
  static Map<String, Cell> replay(List<Ran> committed, List<String> order) {
    Map<String, Ran> byWriter = new HashMap<>();
    committed.forEach(ran -> byWriter.put(ran.writer(), ran));
    assertThat(order).containsExactlyInAnyOrderElementsOf(byWriter.keySet());
    Map<String, Cell> model = new HashMap<>();
    for (String writer : order) {
      Ran ran = byWriter.get(writer);
      assertThat(ran.seen())
          .as("what %s has read, at its place in %s", writer, order)
          .isEqualTo(ran.script().replay(model));
    }
    return model;
  }
}
