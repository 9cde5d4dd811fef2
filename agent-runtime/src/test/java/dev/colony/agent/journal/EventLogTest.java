package dev.colony.agent.journal;

import static dev.colony.agent.journal.TestLog.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.colony.blackboard.server.TestRedis;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class EventLogTest {

  private static TestLog log;

  private final String id = "log-" + UUID.randomUUID();

  @BeforeAll
  static void connect() {
    log = new TestLog(TestRedis.shared().uri());
  }

  @AfterAll
  static void disconnect() {
    log.close();
  }

  @Test
  void whatIsAppendedIsReplayedInOrder() {
    log.append(id, 1, "w", "a", "b");
    log.append(id, 3, "w", "c");
    assertThat(log.replay(id)).containsExactly("1=a", "2=b", "3=c");
    assertThat(log.highest(id)).isEqualTo(3);
  }

  @Test
  void aLogThatNeverWasIsEmpty() {
    assertThat(log.highest(id)).isZero();
    assertThat(log.replay(id)).isEmpty();
  }

  @Test
  void recoveryReadsManyBatches() {
    String[] events = IntStream.range(0, 50).mapToObj(Integer::toString).toArray(String[]::new);
    log.append(id, 1, "w", events);
    assertThat(log.replay(id)).hasSize(50).startsWith("1=0").endsWith("50=49");
  }

  @Test
  void aStaleWriterIsFenced() {
    log.append(id, 1, "old", "a");
    log.append(id, 2, "new", "b");
    FencedException fenced =
        catchThrowableOfType(FencedException.class, () -> log.append(id, 2, "old", "c"));
    assertThat(fenced)
        .hasMessageContaining(id)
        .hasMessageContaining("continues at 2 by writer old")
        .hasMessageContaining("goes on at 3 after writer new");
    assertThat(fenced.retryable()).isFalse();
    assertThat(fenced.expected()).isEqualTo(3);
    assertThat(fenced.actual()).isEqualTo(2);
    assertThat(log.replay(id)).containsExactly("1=a", "2=b");
  }

  @Test
  void anAppendBehindTheEndIsRefused() {
    log.append(id, 1, "w", "a");
    assertThatThrownBy(() -> log.append(id, 3, "w", "c")).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> log.append(id + "-new", 2, "w", "c"))
        .isInstanceOf(FencedException.class);
    assertThat(log.highest(id + "-new")).isZero();
  }

  @Test
  void anExactRepeatIsSuccessAndStoresNothing() {
    log.append(id, 1, "w", "a", "b");
    log.append(id, 1, "w", "a", "b");
    log.append(id, 3, "w", "c");
    log.append(id, 1, "w", "a", "b");
    assertThat(log.replay(id)).containsExactly("1=a", "2=b", "3=c");
  }

  @Test
  void aRepeatThatDiffersIsRefused() {
    log.append(id, 1, "w", "a", "b");
    assertThatThrownBy(() -> log.append(id, 1, "w", "a", "x")).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> log.append(id, 1, "v", "a", "b")).isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> log.append(id, 2, "w", "b", "c")).isInstanceOf(FencedException.class);
    assertThat(log.replay(id)).containsExactly("1=a", "2=b");
  }

  @Test
  void gapMarkersKeepTheirPlaceAndAreNotReplayed() {
    log.append(id, 1, "w", "a");
    log.appendGap(id, 2, "w");
    log.append(id, 3, "w", "c");
    assertThat(log.replay(id)).containsExactly("1=a", "3=c");
    assertThat(log.highest(id)).isEqualTo(3);
  }

  @Test
  void deletionRemembersTheHighest() {
    log.append(id, 1, "w", "a", "b", "c");
    await(log.log.delete(id, 2));
    assertThat(log.replay(id)).containsExactly("3=c");
    await(log.log.delete(id, 1));
    assertThat(log.replay(id)).containsExactly("3=c");
    await(log.log.delete(id, Long.MAX_VALUE));
    assertThat(log.replay(id)).isEmpty();
    assertThat(log.highest(id)).isEqualTo(3);
    log.append(id, 4, "w", "d");
    assertThat(log.replay(id)).containsExactly("4=d");
  }

  @Test
  void recoveryOverAHoleFailsLoudly() {
    log.append(id, 1, "w", "a", "b", "c", "d", "e");
    log.redis().xdel(log.events(id), "3-0").toCompletableFuture().join();
    assertThatThrownBy(() -> log.replay(id))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(id)
        .hasMessageContaining("sequence number 3 is missing");
  }

  @Test
  void aStreamThatLostItsTailIsDetected() {
    log.append(id, 1, "w", "a", "b", "c");
    log.redis().xdel(log.events(id), "3-0").toCompletableFuture().join();
    assertThatThrownBy(() -> log.highest(id)).isInstanceOf(DamagedLogException.class);
  }

  @Test
  void aLogThatLostItsMetaHashIsDetectedAndNotAppendedTo() {
    log.append(id, 1, "w", "a", "b");
    log.redis().del(log.meta(id)).toCompletableFuture().join();
    assertThatThrownBy(() -> log.highest(id)).isInstanceOf(DamagedLogException.class);
    assertThatThrownBy(() -> log.append(id, 1, "x", "z")).isInstanceOf(JournalException.class);
    assertThat(log.redis().xlen(log.events(id)).toCompletableFuture().join()).isEqualTo(2);
  }

  @Test
  void aWriterWhoseLastEventsRedisLostIsRefused() {
    log.append(id, 1, "w", "a");
    String tail = id;
    log.append(tail, 2, "w", "b");
    log.redis().xdel(log.events(tail), "2-0").toCompletableFuture().join();
    log.redis()
        .hset(log.meta(tail), Map.of("last", "1".getBytes(StandardCharsets.UTF_8)))
        .toCompletableFuture()
        .join();
    assertThatThrownBy(() -> log.append(tail, 3, "w", "c")).isInstanceOf(FencedException.class);
  }

  @Test
  void aSnapshotAheadOfItsLogIsDetected() {
    log.append(id, 1, "w", "a", "b");
    assertThat(await(log.log.highest(id, 2))).isEqualTo(2);
    assertThatThrownBy(() -> await(log.log.highest(id, 3)))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("a snapshot holds sequence number 3, the log ends at 2");
  }

  @Test
  void theIndexIsKeptWithTheAppend() {
    String set = log.keys.outstanding(log.keys.slot(id));
    log.append(id, 1, "w", Optional.of(AppendCall.IndexChange.OUTSTANDING), "a");
    assertThat(isMember(set)).isTrue();
    log.append(id, 2, "w", "b");
    assertThat(isMember(set)).isTrue();
    assertThatThrownBy(
            () -> log.append(id, 2, "x", Optional.of(AppendCall.IndexChange.SETTLED), "c"))
        .isInstanceOf(FencedException.class);
    assertThat(isMember(set)).isTrue();
    log.append(id, 3, "w", Optional.of(AppendCall.IndexChange.SETTLED), "c");
    assertThat(isMember(set)).isFalse();
  }

  @Test
  void largeSequenceNumbersKeepTheirDigits() {
    long high = 4_503_599_627_370_497L;
    log.redis()
        .hset(
            log.meta(id),
            Map.of(
                "last", Long.toString(high).getBytes(StandardCharsets.UTF_8),
                "deleted", Long.toString(high).getBytes(StandardCharsets.UTF_8)))
        .toCompletableFuture()
        .join();
    log.append(id, high + 1, "w", "a", "b");
    assertThat(log.replay(id)).containsExactly((high + 1) + "=a", (high + 2) + "=b");
  }

  private boolean isMember(String set) {
    return log.redis()
        .sismember(set, id.getBytes(StandardCharsets.UTF_8))
        .toCompletableFuture()
        .join();
  }
}
