package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Eviction.Order;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Evictions: how many entries there are at most, and which go first. */
abstract class EvictionContract extends Contract {

  EvictionContract(BlackboardContract backend) {
    super(backend);
  }

  private Blackboard board(Order order, int maxEntries) {
    return blackboards()
        .open(scope, "writer", BoardPolicies.NONE.eviction(new Eviction(order, maxEntries)));
  }

  private static void read(Blackboard board, String key, int times) {
    for (int n = 0; n < times; n++) {
      get(board.read(key));
    }
  }

  @ParameterizedTest
  @EnumSource
  void thereAreNeverMoreThanTheMaximumAndTheWrittenOneStays(Order order) {
    Blackboard board = board(order, 3);
    for (int n = 0; n < 20; n++) {
      String key = "k" + (n * 7) % 13;
      get(board.write(text(key, "")));
      assertThat(keys(board, Query.all())).contains(key).hasSizeLessThanOrEqualTo(3);
    }
    assertThat(get(board.statistics()).entries()).isEqualTo(3);
  }

  @Test
  void evictedEntryHasItsEvent() {
    Blackboard board = board(Order.OLDEST, 1);
    Recorder recorder = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    written(board.write(text("a", "").tags("t")), 1);
    written(board.write(text("a", "").tags("u")), 2);
    written(board.write(text("b", "")), 1);
    List<BlackboardEvent> events = recorder.awaitCount(4).events();
    assertThat(events)
        .extracting(Contract::brief)
        .containsExactly("WRITTEN a 0", "WRITTEN a 1", "WRITTEN b 0", "DELETED a 2");
    assertThat(events.getLast())
        .isInstanceOfSatisfying(
            BlackboardEvent.Deleted.class,
            event -> {
              assertThat(event.evicted()).isTrue();
              assertThat(event.writer()).isEqualTo("writer");
              assertThat(event.tags()).isEqualTo(Set.of("u"));
            });
    assertThat(get(board.statistics()).head()).isEqualTo(events.getLast().position());
    assertThat(keys(board, Query.all().allTags("u"))).isEmpty();
    written(board.write(text("a", "").ifAbsent()), 1);
  }

  @Test
  void leastRecentlyUsedGoesFirst() {
    Blackboard board = board(Order.LEAST_RECENTLY_USED, 3);
    writeKeys(board, "a", "b", "c");
    get(board.read("a"));
    writeKeys(board, "d");
    assertThat(keys(board, Query.all())).containsExactly("a", "c", "d");
    get(board.readAll(List.of("c")));
    written(board.write(text("a", "")), 2);
    writeKeys(board, "e", "f");
    assertThat(keys(board, Query.all())).containsExactly("a", "e", "f");
  }

  @Test
  void leastFrequentlyUsedGoesFirst() {
    Blackboard board = board(Order.LEAST_FREQUENTLY_USED, 3);
    writeKeys(board, "a", "b", "c");
    read(board, "a", 2);
    written(board.write(text("c", "")), 2);
    writeKeys(board, "d");
    assertThat(keys(board, Query.all())).containsExactly("a", "c", "d");
    read(board, "d", 3);
    writeKeys(board, "e");
    assertThat(keys(board, Query.all())).containsExactly("a", "d", "e");
  }

  @Test
  void oldestGoesFirstHoweverOftenItIsRead() {
    Blackboard board = board(Order.OLDEST, 3);
    writeKeys(board, "a", "b", "c");
    get(board.read("b"));
    written(board.write(text("a", "")), 2);
    writeKeys(board, "d");
    assertThat(keys(board, Query.all())).containsExactly("a", "c", "d");
    writeKeys(board, "e");
    assertThat(keys(board, Query.all())).containsExactly("a", "d", "e");
  }

  @Test
  void usesOfAnEntryThatHasGoneAreForgotten() {
    Blackboard board = board(Order.LEAST_FREQUENTLY_USED, 2);
    writeKeys(board, "a", "b");
    read(board, "a", 4);
    read(board, "b", 2);
    get(board.delete("a"));
    writeKeys(board, "a", "c");
    assertThat(keys(board, Query.all())).containsExactly("b", "c");
    get(board.clear());
    writeKeys(board, "a", "b");
    get(board.read("a"));
    writeKeys(board, "c");
    assertThat(keys(board, Query.all())).containsExactly("a", "c");
  }

  @Test
  void whatOneCommitWritesStaysEvenIfItIsTooMuch() {
    Blackboard board = board(Order.LEAST_RECENTLY_USED, 2);
    writeKeys(board, "old", "older");
    List<Write> writes = List.of(text("a", ""), text("b", ""), text("c", ""));
    CommitResult.Committed done = committed(board.writeAll(writes));
    assertThat(keys(board, Query.all())).containsExactly("a", "b", "c");
    assertThat(done.position().ordinal())
        .isEqualTo(done.written().getLast().position().ordinal() + 2);
    writeKeys(board, "d");
    assertThat(keys(board, Query.all())).containsExactly("c", "d");
  }

  @Test
  void expiredEntriesMakeRoomBeforeOthers() {
    Blackboard board =
        blackboards(BlackboardSettings.DEFAULTS.withExpiryInterval(Duration.ofHours(1)))
            .open(scope, "w", BoardPolicies.NONE.eviction(new Eviction(Order.OLDEST, 2)));
    writeKeys(board, "a");
    written(board.write(text("b", "").ttl(Duration.ofMillis(1))), 1);
    await().until(() -> get(board.read("b")).isEmpty());
    writeKeys(board, "c");
    assertThat(keys(board, Query.all())).containsExactly("a", "c");
    assertThat(history(board))
        .extracting(Contract::brief)
        .contains("EXPIRED b 1")
        .noneMatch(event -> event.startsWith("DELETED"));
  }

  @Test
  void boardWithoutEvictionEvictsNothing() {
    Blackboards blackboards = blackboards();
    Blackboard plain = blackboards.open(scope, "w");
    writeKeys(plain, "a", "b", "c");
    assertThat(keys(plain, Query.all())).hasSize(3);
    Blackboard evicting =
        blackboards.open(scope, "w", BoardPolicies.NONE.eviction(new Eviction(Order.OLDEST, 2)));
    writeKeys(evicting, "d");
    assertThat(keys(plain, Query.all())).hasSize(2).contains("d");
  }
}
