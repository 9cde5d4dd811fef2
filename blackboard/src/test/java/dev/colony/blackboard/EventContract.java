package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Events: what is stored of each change, and which filters let them pass. */
abstract class EventContract extends Contract {

  EventContract(BlackboardContract backend) {
    super(backend);
  }

  @Test
  void everyChangeHasItsEvent() {
    Blackboards blackboards = blackboards();
    Blackboard alice = blackboards.open(scope, "alice");
    Blackboard bob = blackboards.open(scope, "bob");
    Recorder live = Recorder.eager().to(alice.subscribe("*", SubscribeFrom.now()));
    Position first = written(alice.write(text("k", "1").tags("x", "y")), 1);
    Position second = written(bob.write(text("k", "2").tags("z")), 2);
    Instant at = get(bob.read("k")).orElseThrow().updatedAt();
    assertThat(get(alice.delete("k"))).isTrue();
    writeKeys(alice, "a", "b");
    assertThat(get(bob.clear())).isEqualTo(2);

    List<BlackboardEvent> events = live.awaitCount(6).events();
    assertThat(history(alice)).isEqualTo(events);
    assertThat(events.get(0))
        .isInstanceOfSatisfying(
            BlackboardEvent.Written.class,
            event -> {
              assertThat(event.scope()).isEqualTo(scope);
              assertThat(event.key()).isEqualTo("k");
              assertThat(event.entryKey()).contains("k");
              assertThat(event.position()).isEqualTo(first);
              assertThat(event.writer()).isEqualTo("alice");
              assertThat(event.value().asText()).isEqualTo("1");
              assertThat(event.oldVersion()).isZero();
              assertThat(event.version()).isEqualTo(1);
              assertThat(event.tags()).isEqualTo(Set.of("x", "y"));
              assertThat(event.type()).isEqualTo(EventType.WRITTEN);
            });
    assertThat(events.get(1))
        .isInstanceOfSatisfying(
            BlackboardEvent.Written.class,
            event -> {
              assertThat(event.position()).isEqualTo(second).isGreaterThan(first);
              assertThat(event.writer()).isEqualTo("bob");
              assertThat(event.oldVersion()).isEqualTo(1);
              assertThat(event.version()).isEqualTo(2);
              assertThat(event.tags()).isEqualTo(Set.of("z"));
              assertThat(event.at()).isEqualTo(at);
            });
    assertThat(events.get(2))
        .isInstanceOfSatisfying(
            BlackboardEvent.Deleted.class,
            event -> {
              assertThat(event.scope()).isEqualTo(scope);
              assertThat(event.key()).isEqualTo("k");
              assertThat(event.writer()).isEqualTo("alice");
              assertThat(event.oldVersion()).isEqualTo(2);
              assertThat(event.version()).isZero();
              assertThat(event.tags()).isEqualTo(Set.of("z"));
              assertThat(event.evicted()).isFalse();
              assertThat(event.type()).isEqualTo(EventType.DELETED);
            });
    assertThat(events.get(5))
        .isInstanceOfSatisfying(
            BlackboardEvent.Cleared.class,
            event -> {
              assertThat(event.scope()).isEqualTo(scope);
              assertThat(event.writer()).isEqualTo("bob");
              assertThat(event.entries()).isEqualTo(2);
              assertThat(event.entryKey()).isEmpty();
              assertThat(event.type()).isEqualTo(EventType.CLEARED);
              assertThat(event.at()).isBetween(at, at.plusSeconds(60));
            });
  }

  @Test
  void positionsCountTheEventsOfTheScopeAndTheirTimeNeverGoesBack() {
    Blackboard board = board();
    writeKeys(board, "a", "b");
    get(board.delete("none"));
    get(board.write(text("a", "").ifAbsent()));
    get(board.delete("a"));
    committed(board.writeAll(List.of(text("c", ""), text("d", ""))));
    get(board.clear());
    List<Position> positions = history(board).stream().map(BlackboardEvent::position).toList();
    assertThat(positions).extracting(Position::ordinal).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(positions).extracting(Position::millis).isSorted();
    assertThat(positions)
        .allSatisfy(position -> {
          assertThat(position).isGreaterThan(Position.BEGINNING);
          assertThat(Position.parse(position.toString())).isEqualTo(position);
        });
    assertThat(get(board.statistics()).head()).isEqualTo(positions.getLast());
  }

  @Test
  void historyIsWhatPassesAfterAPosition() {
    Blackboard board = board();
    assertThat(history(board)).isEmpty();
    writeAll(board, 0, 10);
    List<BlackboardEvent> all = history(board);
    Position third = all.get(2).position();
    assertThat(get(board.history(EventFilter.all(), third, 100))).isEqualTo(all.subList(3, 10));
    assertThat(get(board.history(EventFilter.all(), third, 7))).isEqualTo(all.subList(3, 10));
    assertThat(get(board.history(EventFilter.all(), third, 2))).isEqualTo(all.subList(3, 5));
    EventFilter last = EventFilter.keys("k8", "k9");
    assertThat(get(board.history(last, third, 2))).isEqualTo(all.subList(8, 10));
    assertThat(get(board.history(last, third, 1))).isEqualTo(all.subList(8, 9));
    assertThat(get(board.history(last, all.getLast().position(), 1))).isEmpty();
    assertThatThrownBy(() -> board.history(last, third, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void historyPassesOverWhatIsNoLongerStored() {
    Blackboard board =
        blackboards(
                BlackboardSettings.DEFAULTS.withEvents(
                    new BlackboardSettings.Events(10, 10, 1L << 28)))
            .open(scope, "w");
    Position first = written(board.write(text("first", "")), 1);
    writeAll(board, 0, 500);
    List<BlackboardEvent> left = get(board.history(EventFilter.all(), first, 1_000));
    assertThat(left).hasSizeBetween(10, 490);
    assertThat(left.getLast().entryKey()).contains("k499");
  }

  @Test
  void filtersChooseByKeyTypeWriterAndTag() {
    Blackboards blackboards = blackboards();
    Blackboard alice = blackboards.open(scope, "alice");
    Blackboard bob = blackboards.open(scope, "bob");
    written(alice.write(text("a:1", "").tags("x")), 1);
    written(bob.write(text("a:2", "").tags("x", "y")), 1);
    written(bob.write(text("b", "").tags("y")), 1);
    assertThat(get(bob.delete("a:1"))).isTrue();
    EventFilter a = EventFilter.keys("a:*");

    assertPasses(alice, EventFilter.all(), "a:1", "a:2", "b", "a:1");
    assertPasses(alice, a, "a:1", "a:2", "a:1");
    assertPasses(alice, EventFilter.keys("b", "a:2"), "a:2", "b");
    assertPasses(alice, EventFilter.types(EventType.DELETED), "a:1");
    assertPasses(alice, EventFilter.writers("alice", "carol"), "a:1");
    assertPasses(alice, EventFilter.writers("carol"));
    assertPasses(alice, EventFilter.tag("x"), "a:1", "a:2", "a:1");
    assertPasses(alice, EventFilter.tag("y").negate(), "a:1", "a:1");
    assertPasses(alice, a.and(EventFilter.writers("bob")), "a:2", "a:1");
    assertPasses(alice, a.and(EventFilter.tag("y").negate()), "a:1", "a:1");
    assertPasses(alice, EventFilter.types(EventType.DELETED).or(EventFilter.keys("b")), "b", "a:1");
    assertPasses(alice, new EventFilter.And(List.of()), "a:1", "a:2", "b", "a:1");
    assertPasses(alice, new EventFilter.Or(List.of()));
  }

  @Test
  void eventOfTheWholeScopePassesWhereItConcernsAnEntryThatCouldMatch() {
    Blackboard board = board();
    writeKeys(board, "k");
    assertThat(get(board.clear())).isEqualTo(1);
    EventFilter none = EventFilter.keys("unused:*");
    assertPasses(board, none, "");
    assertPasses(board, EventFilter.tag("unused"), "");
    assertPasses(board, none.and(EventFilter.writers("writer")), "");
    assertPasses(board, none.negate().and(EventFilter.keys("k").negate()), "");
    assertPasses(board, none.and(EventFilter.types(EventType.WRITTEN)));
    assertPasses(board, none.and(EventFilter.types(EventType.CLEARED).negate()));
    assertPasses(board, EventFilter.tag("unused").and(EventFilter.writers("other")));
  }

  /** By history and by a subscription; the keys, or nothing for an event of the whole scope. */
  private void assertPasses(Blackboard board, EventFilter filter, String... keys) {
    List<BlackboardEvent> stored = get(board.history(filter, Position.BEGINNING, 100));
    assertThat(stored).extracting(event -> event.entryKey().orElse("")).containsExactly(keys);
    Recorder subscriber = Recorder.eager().to(board.subscribe(filter, SubscribeFrom.beginning()));
    subscriber.awaitCount(keys.length);
    assertThat(subscriber.events()).isEqualTo(stored);
    subscriber.cancel();
  }

  @Test
  void subscriberHearsOnlyWhatPassesItsFilter() {
    Blackboards blackboards = blackboards();
    Blackboard alice = blackboards.open(scope, "alice");
    Blackboard bob = blackboards.open(scope, "bob");
    EventFilter filter =
        EventFilter.keys("a:*").and(EventFilter.tag("x").or(EventFilter.writers("bob")));
    Recorder recorder = Recorder.eager().to(alice.subscribe(filter, SubscribeFrom.now()));
    written(alice.write(text("a:1", "").tags("y")), 1);
    written(bob.write(text("a:2", "").tags("y")), 1);
    written(alice.write(text("a:3", "").tags("x").ttl(Duration.ofHours(1))), 1);
    written(bob.write(text("b", "").tags("x")), 1);
    written(bob.write(text("a:4", "")), 1);
    assertThat(recorder.awaitCount(3).keys()).containsExactly("a:2", "a:3", "a:4");
  }
}
