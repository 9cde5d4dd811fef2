package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Eviction.Order;
import dev.colony.blackboard.Query;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Eviction where others write without it, and what a board without it pays for it. */
class RedisEvictionTest extends RedisTest {

  private final RedisBlackboards blackboards = blackboards(UNSWEPT);
  private final Blackboard plain = blackboards.open(scope, "plain");

  private Blackboard evicting(Order order, int most) {
    return blackboards.open(scope, "w", BoardPolicies.NONE.eviction(new Eviction(order, most)));
  }

  @Test
  void entriesWrittenWithoutEvictionGoFirst() {
    Blackboard board = evicting(Order.LEAST_RECENTLY_USED, 4);
    written(board.write(text("used", "")), 1);
    IntStream.range(0, 4).forEach(n -> written(plain.write(text("plain" + n, "")), 1));
    written(board.write(text("new", "")), 1);
    assertThat(keysOf()).containsExactly("new", "plain2", "plain3", "used");
  }

  @Test
  void readingCountsForThemToo() {
    Blackboard board = evicting(Order.LEAST_FREQUENTLY_USED, 2);
    written(plain.write(text("a", "")), 1);
    written(plain.write(text("b", "")), 1);
    get(board.read("a"));
    written(board.write(text("c", "")), 1);
    assertThat(keysOf()).containsExactly("a", "c");
  }

  @Test
  void boardWithoutEvictionKeepsNoUses() {
    written(plain.write(text("k", "")), 1);
    get(plain.read("k"));
    assertThat(get(redis().exists(keys.base() + "/use"))).isZero();
    assertThat(get(redis().hget(keys.base(), "u"))).isNull();
  }

  @Test
  void readingWhatIsNotThereIsNoUse() {
    Blackboard board = evicting(Order.LEAST_FREQUENTLY_USED, 2);
    written(board.write(text("k", "")), 1);
    get(board.readAll(List.of("none", "k")));
    assertThat(get(redis().zcard(keys.base() + "/use"))).isEqualTo(1);
    assertThat(get(redis().zscore(keys.base() + "/use", bytes("k")))).isEqualTo(2);
  }

  private List<String> keysOf() {
    return get(plain.query(Query.all())).entries().stream().map(Entry::key).toList();
  }
}
