package dev.colony.journal;

import static dev.colony.journal.TestLog.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.JournalException.DamagedLogException;
import dev.colony.journal.JournalException.FencedException;
import dev.colony.journal.JournalException.LostEventsException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
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
    assertThatThrownBy(() -> log.append(id, 3, "w", "c")).isInstanceOf(LostEventsException.class);
    assertThatThrownBy(() -> log.append(id + "-new", 2, "w", "c"))
        .isInstanceOf(LostEventsException.class);
    assertThat(await(log.log.look(id + "-new")).last()).isZero();
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
    LostEventsException lost =
        catchThrowableOfType(LostEventsException.class, () -> log.append(tail, 3, "w", "c"));
    assertThat(lost.stored()).isEqualTo(1);
    assertThat(lost.acknowledged()).isEqualTo(2);
    assertThat(lost).hasMessageContaining("the log of " + tail + " lacks event 2");
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
  void eventsGoByTheirAgeUpToASnapshotThatStays() {
    int days = 100;
    for (int day = 1; day <= days; day++) {
      log.append(
          id, 10 * day - 9, "w", IntStream.range(0, 10).mapToObj(n -> "e").toArray(String[]::new));
      byte[] frame = TestLog.event("w", "snapshot");
      long at = Duration.ofDays(day).toMillis();
      await(log.snapshots.save(id, new SnapshotArchive.Stored(10L * day, at, frame)));
      List<Long> kept = snapshotDays();
      assertThat(kept).as("on day " + day).hasSizeLessThanOrEqualTo(11).contains((long) day);
      long first = Long.parseLong(log.replay(id).getFirst().split("=")[0]);
      if (day <= 30) {
        assertThat(first).as("on day " + day).isEqualTo(1);
      } else {
        // The past begins with the oldest snapshot, which is 30 days old, and not much older.
        assertThat(first).isEqualTo(10 * kept.getFirst() + 1);
        assertThat(day - kept.getFirst()).as("on day " + day).isBetween(30L, 30L + 30 / 8 + 2);
      }
    }
    assertThat(log.snapshot(id)).hasValue(10L * days);
    assertThat(log.highest(id)).isEqualTo(10L * days);
  }

  /** Of which days there are snapshots. */
  private List<Long> snapshotDays() {
    return await(log.redis().zrange(log.keys.snapshotIndex(id), 0, -1)).stream()
        .map(member -> new String(member, StandardCharsets.UTF_8).split(":")[0])
        .map(number -> Long.parseLong(number) / 10)
        .toList();
  }

  @Test
  void aLogWithWorkOutstandingIsNotRemoved() {
    log.append(id, 1, "w", Optional.of(AppendCall.IndexChange.OUTSTANDING), "a");
    log.snapshot(id, 1);
    assertThat(await(log.log.remove(id))).isFalse();
    assertThat(log.replay(id)).containsExactly("1=a");
    log.append(id, 2, "w", Optional.of(AppendCall.IndexChange.SETTLED), "b");
    assertThat(await(log.log.remove(id))).isTrue();
    assertThat(await(log.redis().keys("*" + id + "*"))).containsExactly(log.meta(id));
    assertThat(await(log.redis().pttl(log.meta(id)))).isBetween(1L, 86_400_000L);
    assertThat(await(log.log.remove(id))).as("the second time").isTrue();
    assertThatThrownBy(() -> log.append(id, 3, "w", "late")).isInstanceOf(FencedException.class);
    log.append(id, 1, "next", "a");
    assertThat(await(log.redis().pttl(log.meta(id)))).as("it stays").isEqualTo(-1);
    assertThat(log.replay(id)).containsExactly("1=a");
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
