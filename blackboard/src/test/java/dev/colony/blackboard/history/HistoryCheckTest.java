package dev.colony.blackboard.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Histories made by hand, each with one thing wrong: the check must name it. */
class HistoryCheckTest {

  private static final Scope SCOPE = Scope.tenant("t");

  private final List<Execution> executions = new ArrayList<>();
  private final List<BlackboardEvent> log = new ArrayList<>();
  private final Map<String, Observed.Seen> now = new HashMap<>();

  @Test
  void goodHistoryPasses() {
    commit("t1", 1, 4, List.of(absent("a")), "a");
    commit("t2", 2, 6, List.of(seen("a")), "a", "b");
    reader("r", 5, 8, List.of(seen("a"), seen("b")));
    assertThat(violations()).isEmpty();
  }

  @Test
  void lostUpdateIsFound() {
    commit("t1", 1, 4, List.of(absent("a")), "a");
    commit("t2", 2, 5, List.of(absent("a")), "a");
    assertThat(violations()).singleElement().asString().startsWith("stale read");
  }

  @Test
  void writeSkewIsFound() {
    commit("t1", 1, 4, List.of(absent("a"), absent("b")), "a");
    commit("t2", 2, 5, List.of(absent("a"), absent("b")), "b");
    assertThat(violations()).singleElement().asString().startsWith("stale read");
  }

  @Test
  void sameVersionOfAnotherLifeIsFound() {
    commit("t1", 1, 2, List.of(), "a");
    Observed first = seen("a");
    remove("t2", 3, 4, "a");
    commit("t3", 5, 6, List.of(), "a");
    commit("t4", 1, 7, List.of(first), "b");
    assertThat(first.entry().orElseThrow().version()).isEqualTo(now.get("a").version());
    assertThat(violations()).singleElement().asString().startsWith("stale read");
  }

  @Test
  void readerOfTwoMomentsIsFound() {
    commit("t1", 1, 4, List.of(), "a", "b");
    Observed oldA = seen("a");
    commit("t2", 2, 5, List.of(), "a", "b");
    reader("r", 1, 8, List.of(oldA, seen("b")));
    assertThat(violations()).singleElement().asString().startsWith("not of one moment");
  }

  @Test
  void readerOfThePastIsFound() {
    commit("t1", 1, 2, List.of(), "a");
    Observed before = seen("a");
    commit("t2", 3, 4, List.of(), "a");
    reader("r", 5, 6, List.of(before));
    assertThat(violations()).singleElement().asString().startsWith("not of one moment");
  }

  @Test
  void writeOfOneWhoAbortedIsFound() {
    write("t1", "a");
    executions.add(execution("t1", 1, 4, Execution.Outcome.ABORTED, List.of(), "a"));
    assertThat(violations()).singleElement().asString().startsWith("no effect was promised");
  }

  @Test
  void lostWriteIsFound() {
    executions.add(execution("t1", 1, 4, Execution.Outcome.COMMITTED, List.of(), "a"));
    assertThat(violations()).singleElement().asString().startsWith("acknowledged and lost");
  }

  @Test
  void doubledWriteIsFound() {
    commit("t1", 1, 6, List.of(), "a");
    commit("t2", 2, 5, List.of(), "b");
    write("t1", "a");
    assertThat(violations()).singleElement().asString().startsWith("took effect twice");
  }

  @Test
  void halfCommitIsFound() {
    write("t1", "a");
    executions.add(execution("t1", 1, 4, Execution.Outcome.COMMITTED, List.of(), "a", "b"));
    assertThat(violations()).singleElement().asString().startsWith("not done as told");
  }

  @Test
  void commitBeforeOneThatHadEndedIsFound() {
    commit("t2", 3, 4, List.of(), "b");
    commit("t1", 1, 2, List.of(), "a");
    assertThat(violations()).singleElement().asString().startsWith("after one that began");
  }

  @Test
  void gapInThePositionsIsFound() {
    commit("t1", 1, 2, List.of(), "a");
    commit("t2", 3, 4, List.of(), "b");
    commit("t3", 5, 6, List.of(), "c");
    log.remove(1);
    executions.remove(1);
    assertThat(violations()).singleElement().asString().startsWith("positions");
  }

  private List<String> violations() {
    return HistoryCheck.violations(new History(executions, log, false));
  }

  private void commit(String name, long begun, long ended, List<Observed> reads, String... keys) {
    for (String key : keys) {
      write(name, key);
    }
    executions.add(execution(name, begun, ended, Execution.Outcome.COMMITTED, reads, keys));
  }

  private void reader(String name, long begun, long ended, List<Observed> reads) {
    executions.add(execution(name, begun, ended, Execution.Outcome.COMMITTED, reads));
  }

  private void remove(String name, long begun, long ended, String key) {
    long old = now.remove(key).version();
    log.add(
        new BlackboardEvent.Deleted(
            SCOPE, key, next(), Instant.ofEpochMilli(1), name, old, Set.of(), false));
    executions.add(
        new Execution(
            name,
            begun,
            ended,
            Execution.Outcome.COMMITTED,
            List.of(),
            Map.of(key, Optional.empty()),
            Map.of(),
            List.of()));
  }

  private void write(String name, String key) {
    long old = Optional.ofNullable(now.get(key)).map(Observed.Seen::version).orElse(0L);
    Position position = next();
    now.put(key, new Observed.Seen(position, old + 1, value(name)));
    log.add(
        new BlackboardEvent.Written(
            SCOPE,
            key,
            position,
            Instant.ofEpochMilli(1),
            name,
            value(name),
            old,
            old + 1,
            Set.of()));
  }

  private Position next() {
    return new Position(1, log.size() + 1);
  }

  private Observed seen(String key) {
    return new Observed(key, Optional.of(now.get(key)));
  }

  private static Observed absent(String key) {
    return new Observed(key, Optional.empty());
  }

  private static JsonNode value(String name) {
    return TextNode.valueOf(name);
  }

  private static Execution execution(
      String name,
      long begun,
      long ended,
      Execution.Outcome outcome,
      List<Observed> reads,
      String... keys) {
    Map<String, Optional<JsonNode>> writes = new HashMap<>();
    for (String key : keys) {
      writes.put(key, Optional.of(value(name)));
    }
    return new Execution(name, begun, ended, outcome, reads, writes, Map.of(), List.of());
  }
}
