package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Duration;
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

  /** Trims all buckets, one scope at a time, and gives how many scopes are gone. */
  private static int trim(Blackboards blackboards, Duration age) {
    int gone = 0;
    for (int bucket = 0; bucket < blackboards.inbox().buckets(); bucket++) {
      Optional<Scope> after = Optional.empty();
      do {
        Blackboards.Trimmed trimmed = get(blackboards.trim(bucket, after, 1, age));
        gone += trimmed.gone();
        after = trimmed.next();
      } while (after.isPresent());
    }
    return gone;
  }

  private static void awaitOlder(Position position) {
    await().until(() -> System.currentTimeMillis() > position.millis() + 1);
  }

  @Test
  void eventsThatAreTooOldGoButForTheNewest() {
    Blackboards blackboards = blackboards();
    Blackboard board = blackboards.open(scope, "w");
    writeKeys(board, "a", "b", "c");
    trim(blackboards, Duration.ofHours(1));
    assertThat(history(board)).hasSize(3);
    awaitOlder(history(board).getLast().position());
    trim(blackboards, Duration.ZERO);
    assertThat(history(board)).extracting(Contract::brief).containsExactly("WRITTEN c 0");
    assertThat(keys(board, Query.all())).containsExactly("a", "b", "c");
    Recorder all = Recorder.eager().to(board.subscribe("*", SubscribeFrom.beginning()));
    writeKeys(board, "d");
    assertThat(all.awaitCount(2).keys()).containsExactly("c", "d");
  }

  @Test
  void scopeInWhichNothingIsLeftIsGoneAndGrowsOnIfItBeginsAnew() {
    Blackboards blackboards = blackboards();
    Blackboard board = blackboards.open(scope, "w");
    Blackboard durable = blackboards.open(scope.namespace("durable"), "w");
    Blackboard woken = blackboards.open(scope.namespace("woken"), "w");
    for (Blackboard each : List.of(board, durable, woken)) {
      writeKeys(each, "k");
      get(each.delete("k"));
    }
    get(durable.acknowledge("reader", Position.BEGINNING));
    get(woken.wakeOn("agent", List.of(new KeyGlob("*"))));
    Position last = history(woken).getLast().position();
    assertThat(history(board)).hasSize(2);
    awaitOlder(last);
    trim(blackboards, Duration.ZERO);
    assertThat(get(blackboards.scopes(Optional.empty(), 100_000)))
        .contains(durable.scope(), woken.scope())
        .doesNotContain(scope);
    assertThat(history(board)).isEmpty();
    assertThat(history(durable)).hasSize(2);
    assertThat(get(board.statistics()))
        .isEqualTo(new ScopeStatistics(0, 0, Position.BEGINNING, java.util.Map.of()));

    assertThat(written(board.write(text("k", "anew")), 1)).isGreaterThan(last);
    assertThat(get(blackboards.scopes(Optional.empty(), 100_000))).contains(scope);
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
