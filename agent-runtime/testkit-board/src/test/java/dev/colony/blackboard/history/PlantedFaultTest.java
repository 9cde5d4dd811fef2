package dev.colony.blackboard.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.Boards;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check finds, in histories that really ran, that commits do not check what was read. */
class PlantedFaultTest {

  private static final int TRIES = 200;

  private static final List<Program> INCREMENTS =
      Collections.nCopies(
          5, new Program(true, List.of(new Step.Read(List.of("a")), new Step.Put(List.of("a")))));

  @Test
  void commitsThatDoNotCheckTheirReadsAreFound() throws Exception {
    Boards boards = new Boards(RetryPolicy.NEVER, InstantSource.system());
    try (InMemoryBlackboards memory = new InMemoryBlackboards()) {
      List<String> found = List.of();
      for (int n = 0; n < TRIES && found.isEmpty(); n++) {
        Scope scope = Scope.session("t", "c", "try" + n);
        HistoryRun run =
            new HistoryRun(name ->
                boards.open(new BlindStore(memory.open(scope, name)), name, BoardPolicies.NONE));
        found = HistoryCheck.violations(run.run(Collections.nCopies(6, INCREMENTS)));
      }
      assertThat(found).anySatisfy(one -> assertThat(one).startsWith("stale read"));
    }
  }
}
