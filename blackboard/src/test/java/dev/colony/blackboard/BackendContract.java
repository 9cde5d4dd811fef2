package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The backend as a whole: its scopes, its counters, its end. */
abstract class BackendContract extends Contract {

  BackendContract(BlackboardContract backend) {
    super(backend);
  }

  @Test
  void scopesThatWereEverWrittenToAreListedInOrder() {
    Blackboards blackboards = blackboards();
    List<Scope> scopes =
        Stream.of(
                scope,
                scope.namespace("n"),
                Scope.colony(tenant, "c"),
                Scope.colony(tenant, "d").namespace("x"),
                Scope.session(tenant, "c", "s"),
                Scope.tenant(tenant))
            .toList();
    scopes.forEach(each -> writeKeys(blackboards.open(each, "w"), "k"));
    get(blackboards.open(scope, "w").clear());
    get(blackboards.open(Scope.tenant(tenant), "w").delete("k"));
    get(blackboards.open(Scope.colony(tenant, "never"), "w").read("k"));

    List<Scope> all = new ArrayList<>();
    Optional<Scope> last = Optional.empty();
    List<Scope> page;
    do {
      page = get(blackboards.scopes(last, 7));
      all.addAll(page);
      last = page.isEmpty() ? last : Optional.of(page.getLast());
    } while (page.size() == 7);
    assertThat(all).extracting(Scope::path).isSorted().doesNotHaveDuplicates();
    assertThat(all.stream().filter(each -> each.tenant().equals(tenant)))
        .containsExactlyInAnyOrderElementsOf(scopes);
    assertThat(get(blackboards.scopes(last, 1))).isEmpty();
  }

  @Test
  void statisticsSayWhatAScopeHolds() {
    Blackboards blackboards = blackboards();
    Blackboard board = blackboards.open(scope, "w");
    assertThat(get(board.statistics()))
        .isEqualTo(new ScopeStatistics(0, 0, Position.BEGINNING, java.util.Map.of()));
    writeKeys(board, "a", "b");
    get(board.delete("a"));
    Position head = history(board).getLast().position();
    get(board.acknowledge("one", head));
    get(board.acknowledge("other", Position.BEGINNING));
    assertThat(get(board.statistics()))
        .isEqualTo(
            new ScopeStatistics(
                1, 3, head, java.util.Map.of("one", head, "other", Position.BEGINNING)));
  }

  @Test
  void countersAreOfTheBoardAndOfTheBackend() {
    Blackboards blackboards = blackboards();
    Blackboard one = blackboards.open(scope, "one");
    Blackboard other = blackboards.open(scope, "other");
    written(one.write(text("a", "")), 1);
    get(one.write(text("a", "").ifAbsent()));
    committed(one.writeAll(List.of(text("b", ""), text("c", ""))));
    get(one.read("a"));
    get(other.readAll(List.of("a", "b", "none")));
    get(other.query(Query.all()));
    get(one.delete("none"));
    get(one.clear());
    get(one.transaction(tx -> tx.write("t", 1)));
    Recorder events =
        Recorder.eager().to(one.subscribe(EventFilter.keys("t"), SubscribeFrom.beginning()));
    // Cleared concerns every key.
    events.awaitCount(2);

    assertThat(one.counters())
        .isEqualTo(new BlackboardCounters(1, 0, 5, 1, 1, 1, 1, 0, 0, 0, 0, 2));
    assertThat(other.counters())
        .isEqualTo(new BlackboardCounters(3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    assertThat(blackboards.counters())
        .isEqualTo(new BlackboardCounters(4, 1, 5, 1, 1, 1, 1, 0, 0, 0, 0, 2));
  }

  @Test
  void closedBackendRefusesEverything() {
    Blackboards blackboards = blackboards();
    Blackboard board = blackboards.open(scope, "w");
    writeKeys(board, "k");
    blackboards.close();
    blackboards.close();
    assertFails(board.write(text("k", "")), Reason.CLOSED);
    assertFails(board.send(text("k", ""), "agent"), Reason.CLOSED);
    assertFails(board.writeAll(List.of()), Reason.CLOSED);
    assertFails(board.read("k"), Reason.CLOSED);
    assertFails(board.readAll(List.of("k")), Reason.CLOSED);
    assertFails(board.query(Query.all()), Reason.CLOSED);
    assertFails(board.delete("k"), Reason.CLOSED);
    assertFails(board.clear(), Reason.CLOSED);
    assertFails(board.transaction(tx -> tx.read("k")), Reason.CLOSED);
    assertFails(board.history(EventFilter.all(), Position.BEGINNING, 1), Reason.CLOSED);
    assertFails(board.acknowledge("name", Position.BEGINNING), Reason.CLOSED);
    assertFails(board.forget("name"), Reason.CLOSED);
    assertFails(board.wakeOn("agent", List.of()), Reason.CLOSED);
    assertFails(board.statistics(), Reason.CLOSED);
    assertFails(blackboards.scopes(Optional.empty(), 1), Reason.CLOSED);
    assertFails(blackboards.inbox().pending(0, 1), Reason.CLOSED);
    assertFails(blackboards.inbox().acknowledge(0, List.of()), Reason.CLOSED);
  }
}
