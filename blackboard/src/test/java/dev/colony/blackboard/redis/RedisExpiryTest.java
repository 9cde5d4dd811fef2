package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.SubscribeFrom;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Entries whose time is over: invisible from then on, removed with one event, whichever process
 * does it.
 */
class RedisExpiryTest extends RedisTest {

  private static final Duration SOON = Duration.ofMillis(60);

  @Test
  void processThatWroteItTellsSoon() {
    Blackboard board =
        blackboards(UNSWEPT.withExpiryInterval(Duration.ofMillis(20))).open(scope, "w");
    Recorder recorder = Recorder.eager().to(board.subscribe("*", SubscribeFrom.now()));
    written(board.write(text("k", "v").tags("a", "b").ttl(SOON)), 1);
    assertThat(recorder.awaitCount(2).events().getLast())
        .isInstanceOfSatisfying(
            BlackboardEvent.Expired.class,
            event -> {
              assertThat(event.key()).isEqualTo("k");
              assertThat(event.oldVersion()).isEqualTo(1);
              assertThat(event.writer()).isEqualTo("w");
              assertThat(event.tags()).containsExactlyInAnyOrder("a", "b");
            });
    assertThat(get(redis().keys(keys.base() + "/*"))).containsExactly(keys.events());
    assertThat(get(redis().zscore(ScopeKeys.expiring(keys.bucket()), bytes(scope.path()))))
        .isNull();
  }

  @Test
  void eventComesAfterItsWriterHasDied() {
    RedisBlackboards mortal = blackboards(UNSWEPT);
    written(mortal.open(scope, "dead").write(text("k", "v").ttl(SOON)), 1);
    mortal.close();
    BlackboardSettings sweeping = UNSWEPT.withSweepInterval(Duration.ofMillis(20));
    List<RedisBlackboards> others = List.of(blackboards(sweeping), blackboards(sweeping));
    Blackboard board = others.getFirst().open(scope, "heir");
    await().until(() -> history(board).size() >= 2);
    written(board.write(text("end", "")), 1);
    assertThat(history(board))
        .extracting(RedisTest::brief)
        .containsExactly("WRITTEN k", "EXPIRED k", "WRITTEN end");
    assertThat(history(board).get(1).writer()).isEqualTo("dead");
  }

  @Test
  void nobodySeesItThoughNobodyRemovedIt() {
    Blackboard board = board();
    written(board.write(text("k", "v").tags("t").ttl(SOON)), 1);
    await().until(() -> get(board.read("k")).isEmpty());
    assertThat(get(board.readAll(List.of("k")))).isEmpty();
    assertThat(get(board.query(Query.all())).entries()).isEmpty();
    assertThat(get(board.query(Query.all().allTags("t"))).entries()).isEmpty();
    assertThat(get(board.query(Query.keys("k"))).entries()).isEmpty();
    assertThat(history(board)).hasSize(1);
    assertThat(get(board.statistics()).entries()).as("is still there").isEqualTo(1);
  }

  @Test
  void commitThatTouchesItTellsFirst() {
    Blackboard board = board();
    for (String key : List.of("written", "deleted")) {
      written(board.write(text(key, "v").ttl(SOON)), 1);
    }
    await()
        .until(() -> get(board.read("written")).isEmpty() && get(board.read("deleted")).isEmpty());
    written(board.write(text("written", "again").ifAbsent()), 1);
    assertThat(get(board.delete("deleted"))).isFalse();
    assertThat(history(board).stream().skip(2))
        .extracting(RedisTest::brief)
        .containsExactly("EXPIRED written", "WRITTEN written", "EXPIRED deleted");
    assertThat(((BlackboardEvent.Written) history(board).get(3)).oldVersion()).isZero();
  }

  @Test
  void clearingTellsOfTheExpiredApart() {
    Blackboard board = board();
    written(board.write(text("gone", "v").ttl(SOON)), 1);
    written(board.write(text("there", "v")), 1);
    await().until(() -> get(board.read("gone")).isEmpty());
    assertThat(get(board.clear())).isEqualTo(1);
    assertThat(history(board).stream().skip(2))
        .extracting(RedisTest::brief)
        .containsExactly("EXPIRED gone", "CLEARED ");
    await().until(() -> get(redis().keys(keys.base() + "/*")).equals(List.of(keys.events())));
  }

  @Test
  void manyAreRemovedSomeAtATime() {
    BlackboardSettings looking = UNSWEPT.withExpiryInterval(Duration.ofMillis(20));
    Blackboard board = blackboards(looking).open(scope, "w");
    int count = 350;
    get(
        board.writeAll(
            IntStream.range(0, count).mapToObj(n -> text("k" + n, "").ttl(SOON)).toList()));
    await().until(() -> get(board.statistics()).entries() == 0);
    assertThat(history(board)).hasSize(2 * count);
  }

  @Test
  void laterWriteWithoutTimeToLiveStays() {
    Blackboard board = board();
    written(board.write(text("k", "v").ttl(SOON)), 1);
    written(board.write(text("k", "v")), 2);
    assertThat(get(redis().keys(keys.base() + "/expiring"))).isEmpty();
  }
}
