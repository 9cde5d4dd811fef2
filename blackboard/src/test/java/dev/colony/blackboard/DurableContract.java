package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.BlackboardSettings.Events;
import dev.colony.blackboard.SubscribeFrom.Durable;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Durable subscriptions: where they begin, and how long events are retained for them. */
abstract class DurableContract extends Contract {

  private static final SubscribeFrom DASHBOARD = SubscribeFrom.durable("dashboard");

  DurableContract(BlackboardContract backend) {
    super(backend);
  }

  private Blackboard boardThatKeeps(int kept, int keptForDurable, long keptBytes) {
    return blackboards(
            BlackboardSettings.DEFAULTS.withEvents(new Events(kept, keptForDurable, keptBytes)))
        .open(scope, "w");
  }

  /** The keys that a new subscriber gets; the scope has this many more than it has had. */
  private static List<String> heard(Blackboard board, SubscribeFrom from, int count) {
    Recorder recorder = Recorder.eager().to(board.subscribe("*", from));
    List<String> keys = recorder.awaitCount(count).keys();
    recorder.cancel();
    return keys;
  }

  private static List<String> numbered(int from, int to) {
    return IntStream.range(from, to).mapToObj(n -> "k" + n).toList();
  }

  @Test
  void subscriptionBeginsNowWhenItIsMadeAndThenWhereItAcknowledged() {
    Blackboard board = board();
    writeKeys(board, "before");
    Recorder first = Recorder.eager().to(board.subscribe("*", DASHBOARD));
    writeAll(board, 0, 5);
    List<BlackboardEvent> events = first.awaitCount(5).events();
    assertThat(first.keys()).isEqualTo(numbered(0, 5));
    get(board.acknowledge("dashboard", events.get(2).position()));
    first.cancel();

    writeAll(board, 5, 7);
    assertThat(heard(board, DASHBOARD, 4)).isEqualTo(numbered(3, 7));
  }

  @Test
  void whereItBeganIsKeptUntilItAcknowledges() {
    Blackboard board = board();
    Recorder.eager().to(board.subscribe("*", DASHBOARD)).cancel();
    writeAll(board, 0, 2);
    assertThat(heard(board, DASHBOARD, 2)).isEqualTo(numbered(0, 2));
    assertThat(heard(board, new Durable("dashboard", SubscribeFrom.now()), 2))
        .isEqualTo(numbered(0, 2));
  }

  @Test
  void subscriptionMayBeginWithWhatIsStored() {
    Blackboard board = board();
    writeAll(board, 0, 4);
    Position second = history(board).get(1).position();
    assertThat(heard(board, new Durable("all", SubscribeFrom.beginning()), 4))
        .isEqualTo(numbered(0, 4));
    assertThat(heard(board, new Durable("rest", SubscribeFrom.after(second)), 2))
        .isEqualTo(numbered(2, 4));
    get(board.acknowledge("all", second));
    assertThat(heard(board, new Durable("all", SubscribeFrom.beginning()), 2))
        .isEqualTo(numbered(2, 4));
  }

  @Test
  void twoUnderOneNameEachGetAllEvents() {
    Blackboard board = board();
    Recorder one = Recorder.eager().to(board.subscribe("*", DASHBOARD));
    Recorder other = Recorder.eager().to(board.subscribe("*", DASHBOARD));
    writeAll(board, 0, 3);
    assertSequence(one.awaitCount(3), 3);
    assertSequence(other.awaitCount(3), 3);
  }

  @Test
  void nameIsOfItsScope() {
    Blackboards blackboards = blackboards();
    Blackboard board = blackboards.open(scope, "w");
    Blackboard other = blackboards.open(scope.namespace("n"), "w");
    Position position = written(board.write(text("k", "")), 1);
    get(board.acknowledge("dashboard", position));
    assertThat(get(other.forget("dashboard"))).isFalse();
    assertThat(get(other.statistics()).subscriptions()).isEmpty();
    assertThat(get(board.statistics()).subscriptions()).isEqualTo(Map.of("dashboard", position));
  }

  @Test
  void acknowledgementNeverGoesBack() {
    Blackboard board = board();
    writeAll(board, 0, 4);
    List<BlackboardEvent> events = history(board);
    get(board.acknowledge("dashboard", events.get(2).position()));
    get(board.acknowledge("dashboard", events.get(0).position()));
    get(board.acknowledge("dashboard", Position.BEGINNING));
    assertThat(get(board.statistics()).subscriptions())
        .isEqualTo(Map.of("dashboard", events.get(2).position()));
    assertThat(heard(board, DASHBOARD, 1)).containsExactly("k3");
  }

  @Test
  void acknowledgementOfAnUnknownNameMakesTheSubscription() {
    Blackboard board = board();
    writeAll(board, 0, 3);
    get(board.acknowledge("dashboard", history(board).get(0).position()));
    assertThat(heard(board, DASHBOARD, 2)).isEqualTo(numbered(1, 3));
  }

  @Test
  void forgottenSubscriptionBeginsAnew() {
    Blackboard board = board();
    assertThat(get(board.forget("dashboard"))).isFalse();
    Recorder.eager().to(board.subscribe("*", DASHBOARD)).cancel();
    writeAll(board, 0, 3);
    assertThat(get(board.forget("dashboard"))).isTrue();
    assertThat(get(board.forget("dashboard"))).isFalse();
    assertThat(get(board.statistics()).subscriptions()).isEmpty();
    Recorder anew = Recorder.eager().to(board.subscribe("*", DASHBOARD));
    writeAll(board, 3, 4);
    assertThat(anew.awaitCount(1).keys()).containsExactly("k3");
  }

  @Test
  void badNameIsRefusedAtOnce() {
    Blackboard board = board();
    for (String name : List.of("", "a b", "a:b", "ä", "x".repeat(129))) {
      assertThatThrownBy(() -> SubscribeFrom.durable(name))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> board.acknowledge(name, Position.BEGINNING))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> board.forget(name)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void eventsAreRetainedForItUntilItHasAcknowledgedThem() {
    Blackboard board = boardThatKeeps(10, 1_000, 1L << 28);
    Recorder.eager().to(board.subscribe("*", DASHBOARD)).cancel();
    writeAll(board, 0, 600);
    assertThat(heard(board, DASHBOARD, 600)).isEqualTo(numbered(0, 600));
    assertThat(get(board.statistics()).events()).isEqualTo(600);

    get(board.acknowledge("dashboard", history(board).getLast().position()));
    writeAll(board, 600, 601);
    assertThat(get(board.statistics()).events()).isBetween(10L, 400L);
    assertThat(heard(board, DASHBOARD, 1)).containsExactly("k600");
  }

  @Test
  void nothingIsRetainedForAForgottenOne() {
    Blackboard board = boardThatKeeps(10, 1_000, 1L << 28);
    Recorder.eager().to(board.subscribe("*", DASHBOARD)).cancel();
    writeAll(board, 0, 600);
    get(board.forget("dashboard"));
    writeAll(board, 600, 601);
    assertThat(get(board.statistics()).events()).isBetween(10L, 400L);
  }

  @Test
  void eventsOverTheLimitAreLostToItAndThatIsTold() {
    Blackboard board = boardThatKeeps(10, 50, 1L << 28);
    Recorder.eager().to(board.subscribe("*", DASHBOARD)).cancel();
    writeAll(board, 0, 600);
    assertThat(get(board.statistics()).events()).isBetween(50L, 400L);
    assertLost(Recorder.eager().to(board.subscribe("*", DASHBOARD)));
    // Its way out is to say how far it has come by other means.
    get(board.acknowledge("dashboard", get(board.statistics()).head()));
    Recorder after = Recorder.eager().to(board.subscribe("*", DASHBOARD));
    writeAll(board, 600, 601);
    assertThat(after.awaitCount(1).keys()).containsExactly("k600");
  }

  @Test
  void bytesOfStoredEventsAreBoundedWhateverTheirNumber() {
    assumeValuesAreHeld();
    Blackboard board = boardThatKeeps(1_000, 1_000, 200_000);
    Recorder.eager().to(board.subscribe("*", DASHBOARD)).cancel();
    String value = "x".repeat(10_000);
    for (int n = 0; n < 100; n++) {
      written(board.write(text("k" + n, value)), 1);
    }
    assertThat(get(board.statistics()).events()).isBetween(5L, 50L);
    assertLost(Recorder.eager().to(board.subscribe("*", DASHBOARD)));
    assertThat(get(board.statistics()).entries()).isEqualTo(100);
  }

  @Test
  void oneThatBeginsWithAllThatIsRetainedMissesWhatIsTrimmedFromThenOn() {
    Blackboard board = boardThatKeeps(10, 50, 1L << 28);
    SubscribeFrom all = new Durable("all", SubscribeFrom.beginning());
    writeAll(board, 0, 600);
    int retained = history(board).size();
    assertThat(heard(board, all, retained)).isEqualTo(numbered(600 - retained, 600));
    writeAll(board, 600, 1_200);
    assertLost(Recorder.eager().to(board.subscribe("*", all)));
  }

  @Test
  void clearingKeepsStoredEventsAndSubscriptions() {
    Blackboard board = board();
    Recorder.eager().to(board.subscribe("*", DASHBOARD)).cancel();
    writeKeys(board, "k0");
    assertThat(get(board.clear())).isEqualTo(1);
    assertThat(heard(board, DASHBOARD, 2)).containsExactly("k0", "");
  }
}
