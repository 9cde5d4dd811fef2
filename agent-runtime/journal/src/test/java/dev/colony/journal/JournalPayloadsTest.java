package dev.colony.journal;

import static dev.colony.blackboard.payload.PayloadRig.LARGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.payload.PayloadRig;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.payload.PayloadVault.PayloadListener;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.JournalException.DamagedLogException;
import io.lettuce.core.XAddArgs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalPayloadsTest {

  private final String id = "acme/lab/agent-" + UUID.randomUUID();
  private final PayloadRig store = new PayloadRig();
  private final PayloadVault vault = store.vault("v", Duration.ofSeconds(20));
  private final TestLog log = new TestLog(TestRedis.shared().uri(), vault);

  @AfterEach
  void disconnect() {
    log.close();
  }

  @Test
  void whatIsLargeLiesOutsideAndIsReplayed() {
    log.append(id, 1, "w", "small", LARGE + "a", "small too");
    log.append(id, 4, "w", LARGE + "b");
    assertThat(log.replay(id))
        .containsExactly("1=small", "2=" + LARGE + "a", "3=small too", "4=" + LARGE + "b");
    assertThat(store.numbers()).containsExactly("e2", "e4");
    assertThat(TestLog.await(log.redis().memoryUsage(log.events(id)))).isLessThan(4_000L);
  }

  @Test
  void anotherNodeReadsIt() {
    log.append(id, 1, "w", LARGE);
    try (TestLog other =
        new TestLog(TestRedis.shared().uri(), store.vault("v", Duration.ofSeconds(20)))) {
      assertThat(other.replay(id)).containsExactly("1=" + LARGE);
    }
  }

  @Test
  void whatIsNotLargeCostsTheStoreNothing() {
    String most = "x".repeat(PayloadVault.THRESHOLD - TestLog.event("w", "").length);
    log.append(id, 1, "w", "a", most);
    log.snapshot(id, 1);
    assertThat(log.replay(id)).containsExactly("1=a", "2=" + most);
    assertThat(store.calls).hasValue(0);
    log.append(id, 3, "w", most + "x");
    assertThat(store.numbers()).containsExactly("e3");
  }

  @Test
  void aLargeSnapshotLiesOutside() {
    log.append(id, 1, "w", "a");
    byte[] frame = TestLog.event("w", LARGE);
    TestLog.await(log.snapshots.save(id, new SnapshotArchive.Stored(1, 5, frame)));
    assertThat(store.numbers()).containsExactly("s1");
    assertThat(TestLog.await(log.snapshots.load(id, ALL)))
        .hasValueSatisfying(found -> {
          assertThat(found.frame()).isEqualTo(frame);
          assertThat(found.timestampMillis()).isEqualTo(5);
        });
    assertThat(TestLog.await(log.redis().memoryUsage(log.keys.snapshots(id)))).isLessThan(1_000L);
  }

  @Test
  void noNameTellsWhoseItIs() {
    log.append(id, 1, "w", LARGE);
    assertThat(store.names())
        .singleElement()
        .asString()
        .matches("v/j/[0-9a-f]{32}/e1-[0-9a-f]{64}");
    assertThat(store.names().getFirst()).doesNotContain("acme").doesNotContain("lab");
  }

  @Test
  void repeatedAppendsSucceedAndStaleOnesAreRefused() {
    log.append(id, 1, "w", LARGE);
    log.append(id, 1, "w", LARGE);
    log.append(id, 2, "new", LARGE + "new");
    assertThatThrownBy(() -> log.append(id, 2, "w", LARGE + "old"))
        .isInstanceOf(JournalException.FencedException.class);
    assertThat(log.replay(id)).containsExactly("1=" + LARGE, "2=" + LARGE + "new");
  }

  @Test
  void appendsOfOneLogStayInOrderHoweverLongThePayloadsTake() {
    CountDownLatch slow = new CountDownLatch(1);
    store.held = Optional.of(slow);
    List<CompletionStage<Void>> all =
        IntStream.rangeClosed(1, 6)
            .mapToObj(i ->
                log.log.append(
                    id,
                    i,
                    "w",
                    Optional.empty(),
                    List.of(TestLog.event("w", i % 2 == 1 ? LARGE + i : "" + i))))
            .toList();
    await().until(() -> store.calls.get() == 1);
    assertThat(all).noneMatch(append -> append.toCompletableFuture().isDone());
    slow.countDown();
    all.forEach(TestLog::await);
    assertThat(log.replay(id))
        .containsExactly("1=" + LARGE + 1, "2=2", "3=" + LARGE + 3, "4=4", "5=" + LARGE + 5, "6=6");
  }

  @Test
  void aRecoveryWaitsForWhatIsOnItsWay() {
    CountDownLatch slow = new CountDownLatch(1);
    store.held = Optional.of(slow);
    CompletionStage<Void> append =
        log.log.append(id, 1, "w", Optional.empty(), List.of(TestLog.event("w", LARGE)));
    CompletionStage<Long> highest = log.log.highest(id, 0);
    assertThat(highest.toCompletableFuture()).isNotDone();
    slow.countDown();
    TestLog.await(append);
    assertThat(TestLog.await(highest)).isEqualTo(1);
  }

  @Test
  void otherLogsDoNotWaitForASlowStore() {
    store.held = Optional.of(new CountDownLatch(1));
    CompletionStage<Void> slow =
        log.log.append(id, 1, "w", Optional.empty(), List.of(TestLog.event("w", LARGE)));
    for (int i = 1; i <= 20; i++) {
      log.append(id + "-other", i, "w", "small");
    }
    assertThat(slow.toCompletableFuture()).isNotDone();
    store.held.get().countDown();
    TestLog.await(slow);
  }

  @Test
  void aStoreThatFailsForAMomentIsAskedAgain() {
    store.failing.set(2);
    log.append(id, 1, "w", LARGE);
    store.failing.set(2);
    assertThat(log.replay(id)).containsExactly("1=" + LARGE);
  }

  @Test
  void whatTheStoreDoesNotTakeIsNotAppended() {
    PayloadVault hasty = store.vault("v", Duration.ofMillis(300));
    try (TestLog impatient = new TestLog(TestRedis.shared().uri(), hasty)) {
      store.failing.set(Integer.MAX_VALUE);
      assertThatThrownBy(() -> impatient.append(id, 1, "w", LARGE))
          .isInstanceOfSatisfying(
              JournalException.class, failure -> assertThat(failure.retryable()).isTrue())
          .hasMessageContaining("rig cannot be used: the rig fails");
      store.failing.set(0);
      store.refuses = true;
      assertThatThrownBy(() -> impatient.append(id, 1, "w", LARGE))
          .isInstanceOfSatisfying(
              JournalException.class, failure -> assertThat(failure.retryable()).isFalse())
          .hasMessageContaining("the rig refuses");
      store.refuses = false;
      assertThat(impatient.replay(id)).isEmpty();
      impatient.append(id, 1, "w", "small");
      assertThat(impatient.replay(id)).containsExactly("1=small");
    }
  }

  @ParameterizedTest
  @CsvSource({"gone, is missing", "short, has 9 bytes in place of", "changed, has other bytes"})
  void aDamagedPayloadIsNamedAndTheLogIsNotRead(String damage, String words) {
    log.append(id, 1, "w", "a");
    log.append(id, 2, "w", LARGE);
    TestLog.await(
        log.snapshots.save(id, new SnapshotArchive.Stored(2, 0, TestLog.event("w", LARGE))));
    Map<PayloadListener.Outcome, Integer> told = new ConcurrentHashMap<>();
    vault.listen((outcome, bytes) -> told.merge(outcome, 1, Integer::sum));
    for (String name : store.names()) {
      byte[] bytes = store.kept.get(name);
      switch (damage) {
        case "gone" -> store.kept.remove(name);
        case "short" -> store.change(name, Arrays.copyOf(bytes, 9));
        default -> {
          bytes[bytes.length - 1] ^= 1;
          store.change(name, bytes);
        }
      }
    }
    assertThatThrownBy(() -> log.replay(id))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(id)
        .hasMessageContaining("event 2")
        .hasMessageContaining("v/j/")
        .hasMessageContaining("/e2-")
        .hasMessageContaining(words);
    assertThatThrownBy(() -> TestLog.await(log.snapshots.load(id, ALL)))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(id)
        .hasMessageContaining("snapshot 2")
        .hasMessageContaining(words);
    assertThat(told).containsEntry(PayloadListener.Outcome.DAMAGED, 2);
  }

  @Test
  void aReaderWithoutTheStoreIsToldTheSetting() {
    log.append(id, 1, "w", "a", LARGE);
    try (TestLog other = new TestLog(TestRedis.shared().uri())) {
      assertThatThrownBy(() -> other.replay(id))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining(id)
          .hasMessageContaining("event 2 lies in a store of payloads: colony.payloads.store");
    }
  }

  @Test
  void aRemovedLogHasNoPayloads() {
    log.append(id, 1, "w", LARGE, LARGE + "2");
    log.append(id + "-other", 1, "w", LARGE);
    assertThat(TestLog.await(log.log.remove(id))).isTrue();
    assertThat(store.numbers()).containsExactly("e1");
    assertThat(log.replay(id + "-other")).containsExactly("1=" + LARGE);
  }

  @Test
  void aNodeThatRemembersGivesEventsBackWithTheirPayloads() {
    log.append(id, 1, "w", "a", LARGE);
    log.redis().del(log.events(id)).toCompletableFuture().join();
    log.redis()
        .xadd(log.events(id), new XAddArgs().id("1-0"), Map.of("f", TestLog.event("w", "a")))
        .toCompletableFuture()
        .join();
    log.redis()
        .hset(log.meta(id), "last", "1".getBytes(StandardCharsets.UTF_8))
        .toCompletableFuture()
        .join();
    assertThatThrownBy(() -> log.append(id, 3, "w", "c"))
        .isInstanceOf(JournalException.LostEventsException.class);
    assertThat(TestLog.await(log.log.restore(id))).isTrue();
    assertThat(log.replay(id)).containsExactly("1=a", "2=" + LARGE);
  }

  static final SnapshotArchive.Bounds ALL =
      new SnapshotArchive.Bounds(0, Long.MAX_VALUE, 0, Long.MAX_VALUE);
}
