package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.board.TransactionScript.Cell;
import java.util.ArrayList;
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
   * Replays them in the order of their commits; whoever is not in that order has changed nothing
   * and must fit in somewhere.
   *
   * @param order writers, in the order of their commits
   * @return what is there in the end
   */
  static Map<String, Cell> replay(List<Ran> committed, List<String> order) {
    Map<String, Ran> byWriter = new HashMap<>();
    committed.forEach(ran -> byWriter.put(ran.writer(), ran));
    Map<String, Cell> model = new HashMap<>();
    List<Map<String, Cell>> states = new ArrayList<>(List.of(Map.of()));
    for (String writer : order) {
      Ran ran = byWriter.remove(writer);
      assertThat(ran).as("%s has changed something, and was not acknowledged", writer).isNotNull();
      assertThat(ran.seen())
          .as("what %s has read, at its place in %s", writer, order)
          .isEqualTo(ran.script().replay(model));
      states.add(Map.copyOf(model));
    }
    for (Ran ran : byWriter.values()) {
      assertThat(states)
          .as("a moment at which %s could have read %s", ran.writer(), ran.seen())
          .anyMatch(state -> {
            Map<String, Cell> after = new HashMap<>(state);
            return ran.seen().equals(ran.script().replay(after)) && after.equals(state);
          });
    }
    return model;
  }
}
