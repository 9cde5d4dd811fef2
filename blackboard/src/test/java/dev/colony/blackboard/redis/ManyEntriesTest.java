package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * That no script goes through all of very many entries, subscriptions or patterns: what it does is
 * counted, because time means nothing on a machine that has other work.
 */
class ManyEntriesTest extends RedisTest {

  private static final int MANY = 3_000;

  private final RedisBlackboards blackboards = blackboards(UNSWEPT);
  private final Blackboard board = blackboards.open(scope, "w");

  @Test
  void whatIsClearedIsGoneAtOnceAndItsMemoryFollows() {
    fill();
    assertThat(clear(1)).isEqualTo(Integer.toString(MANY));
    assertThat(left()).as("one call removes no entry").isEqualTo(MANY);
    assertThat(get(board.read("k1"))).isEmpty();
    assertThat(get(board.query(Query.all())).entries()).isEmpty();
    assertThat(get(board.query(Query.all().allTags("t"))).entries()).isEmpty();
    assertThat(get(board.statistics()).entries()).isZero();
    assertThat(get(board.delete("k2"))).isFalse();
    written(board.write(text("k1", "again").tags("u").ifAbsent()), 1);
    written(board.write(text("k3", "again").tags("t")), 1);
    assertThat(clear(1)).as("a copy of the call").isEqualTo(Integer.toString(MANY));
    assertThat(get(board.read("k1"))).isPresent();

    get(board.clear());
    written(board.write(text("k1", "third").tags("t")), 1);
    await().until(() -> left() == 1);
    assertThat(get(board.query(Query.all())).entries())
        .extracting(Entry::key)
        .containsExactly("k1");
    assertThat(get(board.query(Query.all().allTags("t"))).entries())
        .extracting(Entry::key)
        .containsExactly("k1");
    assertThat(get(redis().hget(keys.base(), "c"))).as("the next sweep ends it").isNull();
    assertThat(get(redis().keys(keys.base() + "/clearings*"))).isEmpty();
    assertThat(get(redis().keys(keys.base() + "/tag/u"))).isEmpty();
  }

  /** The process that cleared it may be gone: the others find what it has left. */
  @Test
  void whatAProcessClearedThatDiedIsSweptByOthers() {
    fill();
    clear(1);
    blackboards.close();
    assertThat(left()).isEqualTo(MANY);
    BlackboardSettings sweeping = UNSWEPT.withSweepInterval(Duration.ofMillis(20));
    blackboards(sweeping);
    await().until(() -> left() == 0);
  }

  /** Else what is left of the clearing would be seen again. */
  @Test
  void aScopeStaysAsLongAsSomethingOfAClearingIsLeft() {
    fill();
    clear(1);
    Position last = get(board.statistics()).head();
    await().until(() -> System.currentTimeMillis() > last.millis() + 1);
    Optional<Scope> after = Optional.empty();
    do {
      after = get(blackboards.trim(keys.bucket(), after, 100, Duration.ZERO)).next();
    } while (after.isPresent());
    assertThat(get(board.read("k1"))).isEmpty();
  }

  @Test
  void clearingTellsOfManyThatHaveExpired() {
    get(
        board.writeAll(
            IntStream.range(0, 350)
                .mapToObj(n -> text("k" + n, "").ttl(Duration.ofMillis(30)))
                .toList()));
    await().until(() -> get(board.read("k0")).isEmpty() && get(board.read("k349")).isEmpty());
    assertThat(get(board.clear())).isZero();
    assertThat(history(board)).hasSize(700);
  }

  @Test
  void oneOfManySubscriptionsMovesWithoutALookAtTheOthers() {
    written(board.write(text("k", "")), 1);
    Position position = get(board.statistics()).head();
    for (int n = 0; n < MANY; n++) {
      board.acknowledge("s" + n, position);
    }
    get(board.acknowledge("last", position));
    assertThat(wholeHashes(() -> get(board.acknowledge("s7", position)))).isZero();
    assertThat(get(board.forget("s7"))).isTrue();
    assertThat(get(redis().zcard(keys.base() + "/acknowledged"))).isEqualTo(MANY);
  }

  @Test
  void oneOfManyPatternsChangesWithoutALookAtTheOthers() {
    for (int n = 0; n < MANY; n++) {
      wakeOn("agent" + n, "shared*", "own-" + n + ":*");
    }
    assertThat(wholeHashes(() -> wakeOn("agent7", "shared*", "longer-beginning:*"))).isZero();
    assertThat(get(redis().hget(keys.base() + "/wakes", "shared"))).hasSizeLessThan(100_000);
    written(board.write(text("longer-beginning:1", "")), 1);
    written(board.write(text("own-7:1", "")), 1);
    written(board.write(text("own-8:1", "")), 1);
    assertThat(recipients()).containsExactlyInAnyOrder("agent7", "agent8");
    written(board.write(text("shared", "")), 1);
    assertThat(recipients()).hasSize(MANY).doesNotHaveDuplicates();
    for (int n = 0; n < MANY; n++) {
      wakeOn("agent" + n);
    }
    assertThat(get(redis().keys(keys.base() + "/wake*"))).isEmpty();
    assertThat(get(redis().hget(keys.base(), "w"))).isNull();
  }

  private void fill() {
    for (int from = 0; from < MANY; from += 500) {
      get(
          board.writeAll(
              IntStream.range(from, from + 500)
                  .<Write>mapToObj(n -> text("k" + n, "v").tags("t"))
                  .toList()));
    }
  }

  private String clear(long number) {
    byte[] reply =
        get(
            ScopeCalls.CLEAR.<byte[]>run(
                redis(),
                new String[] {keys.base(), keys.lane("test" + scope.tenant(), 0)},
                ScopeCalls.arguments(UNSWEPT.events(), number, "w", List.of(), Instant.now())));
    return new String(reply, UTF_8);
  }

  private int left() {
    return get(redis().keys(keys.base() + "/entry/*")).size();
  }

  /** How often a hash was read as a whole meanwhile. */
  private long wholeHashes(Runnable work) {
    long before = wholeHashes();
    work.run();
    return wholeHashes() - before;
  }

  private long wholeHashes() {
    return Stream.of("hgetall", "hkeys", "hvals")
        .mapToLong(command -> commandCalls(redis(), command))
        .sum();
  }

  private void wakeOn(String recipient, String... globs) {
    get(board.wakeOn(recipient, Arrays.stream(globs).map(KeyGlob::new).toList()));
  }

  private List<String> recipients() {
    return get(blackboards.inbox().pending(keys.bucket(), 100_000)).stream()
        .filter(message -> message.scope().equals(scope))
        .map(InboxMessage::recipient)
        .toList();
  }
}
