package dev.colony.journal;

import static dev.colony.blackboard.payload.PayloadRig.LARGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.payload.PayloadRig;
import dev.colony.blackboard.payload.PayloadSweep;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.JournalPayloads.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing refers to it for a day: it goes. Otherwise it stays. */
class JournalSweepTest {

  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Instant LATER = NOW.plus(PayloadVault.KEPT);

  private final String id = "agent-" + UUID.randomUUID();
  private final PayloadRig store = new PayloadRig();
  private final PayloadVault vault = store.vault("v", Duration.ofSeconds(20));
  private final TestLog log = new TestLog(TestRedis.shared().uri(), vault);

  @AfterEach
  void disconnect() {
    log.close();
  }

  @Test
  void whatAWriterLeftBehindThatDiedBeforeItsAppendGoes() {
    log.append(id, 1, "w", LARGE);
    TestLog.await(log.payloads.put(Kind.EVENT, id, 2, List.of(TestLog.event("w", LARGE + "dead"))));
    log.append(id, 2, "next", LARGE + "alive");
    assertThat(store.numbers()).containsExactly("e1", "e2", "e2");
    assertThat(sweep(NOW)).isZero();
    assertThat(sweep(LATER.minusSeconds(1))).isZero();
    assertThat(store.numbers()).hasSize(3);
    assertThat(sweep(LATER)).isEqualTo(1);
    assertThat(store.numbers()).containsExactly("e1", "e2");
    assertThat(store.marks()).isEmpty();
    assertThat(log.replay(id)).containsExactly("1=" + LARGE, "2=" + LARGE + "alive");
  }

  @Test
  void whatAStaleWriterWasRefusedGoes() {
    log.append(id, 1, "new", LARGE);
    assertThatThrownBy(() -> log.append(id, 1, "stale", LARGE + "stale"))
        .isInstanceOf(JournalException.FencedException.class);
    sweep(NOW);
    assertThat(sweep(LATER)).isEqualTo(1);
    assertThat(log.replay(id)).containsExactly("1=" + LARGE);
  }

  @Test
  void whatRetentionHasLetGoOfGoes() {
    log.append(id, 1, "w", LARGE + 1, LARGE + 2, LARGE + 3);
    snapshot(1);
    snapshot(2);
    TestLog.await(log.log.delete(id, 2));
    TestLog.await(log.snapshots.delete(id, new SnapshotArchive.Bounds(1, 1, 0, Long.MAX_VALUE)));
    sweep(NOW);
    assertThat(sweep(LATER)).isEqualTo(3);
    assertThat(store.numbers()).containsExactlyInAnyOrder("e3", "s2");
    assertThat(TestLog.await(log.snapshots.load(id, JournalPayloadsTest.ALL))).isPresent();
  }

  @Test
  void whatIsOnItsWayStays() {
    List<byte[]> stubs =
        TestLog.await(log.payloads.put(Kind.EVENT, id, 1, List.of(TestLog.event("w", LARGE))));
    sweep(NOW);
    assertThat(store.marks()).hasSize(1);
    TestLog.await(log.log.append(id, 1, "w", Optional.empty(), stubs));
    assertThat(sweep(LATER.plus(PayloadVault.KEPT))).isZero();
    assertThat(store.marks()).isEmpty();
    assertThat(log.replay(id)).containsExactly("1=" + LARGE);
  }

  @Test
  void whatALogHasLostStaysUntilAnOperatorHasDecided() {
    log.append(id, 1, "w", "a", LARGE);
    log.redis().xdel(log.events(id), "2-0").toCompletableFuture().join();
    log.redis()
        .hset(log.meta(id), "last", "1".getBytes(StandardCharsets.UTF_8))
        .toCompletableFuture()
        .join();
    assertThatThrownBy(() -> log.append(id, 3, "w", "c"))
        .isInstanceOf(JournalException.LostEventsException.class);
    sweep(NOW);
    assertThat(sweep(LATER)).isZero();
    assertThat(store.numbers()).containsExactly("e2");
    TestLog.await(log.log.decide(id, "continue"));
    sweep(LATER);
    assertThat(sweep(LATER.plus(PayloadVault.KEPT))).isEqualTo(1);
    assertThat(store.names()).isEmpty();
  }

  @Test
  void allOfALogThatIsNotThereGoes() {
    log.append(id, 1, "w", LARGE, LARGE);
    log.redis().del(log.events(id), log.meta(id)).toCompletableFuture().join();
    sweep(NOW);
    assertThat(sweep(LATER)).isEqualTo(2);
    assertThat(store.kept).isEmpty();
  }

  @Test
  void whatWasLeftUnfinishedGoesAndWhatNobodyKnowsStays() {
    log.append(id, 1, "w", LARGE);
    String folder = store.names().getFirst().replaceAll("[^/]*$", "");
    store.change(folder + "e2-00.5.tmp", new byte[3]);
    String unknown = "v/j/" + "0".repeat(32) + "/e1-" + "0".repeat(64);
    store.change(unknown, "no head".getBytes(StandardCharsets.UTF_8));
    store.change("k/other/e1-0", new byte[3]);
    sweep(NOW);
    assertThat(sweep(LATER)).isEqualTo(1);
    assertThat(store.names()).hasSize(3).contains(unknown, "k/other/e1-0");
  }

  @Test
  void aDamagedPayloadThatIsReferredToStays() {
    log.append(id, 1, "w", LARGE, LARGE + 2);
    store.change(store.names().getFirst(), new byte[0]);
    sweep(NOW);
    assertThat(sweep(LATER)).isZero();
    assertThat(store.numbers()).containsExactly("e1", "e2");
  }

  /** Of many logs some is let go of; pages of every length find just that. */
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 7, 1_000})
  void pagesHideNothing(int page) {
    List<String> wanted = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      String one = id + i;
      Set<String> before = Set.copyOf(store.names());
      log.append(one, 1, "w", LARGE + 1, LARGE + 2, "small", LARGE + 4);
      TestLog.await(log.payloads.put(Kind.EVENT, one, 5, List.of(TestLog.event("w", LARGE))));
      Set<String> written = new HashSet<>(store.names());
      written.removeAll(before);
      int deleted = i % 3;
      TestLog.await(log.log.delete(one, deleted));
      IntStream.of(1, 2, 4)
          .filter(number -> number > deleted)
          .forEach(number ->
              store.names().stream()
                  .filter(name -> written.contains(name) && name.contains("/e" + number + "-"))
                  .forEach(wanted::add));
    }
    sweep(NOW, page);
    assertThat(sweep(LATER, page)).isEqualTo(6 + 2 * (1 + 2));
    assertThat(store.names()).containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(store.marks()).isEmpty();
    for (int i = 0; i < 6; i++) {
      assertThat(log.replay(id + i)).endsWith("3=small", "4=" + LARGE + 4);
    }
  }

  private int sweep(Instant now) {
    return sweep(now, PayloadSweep.PAGE);
  }

  private int sweep(Instant now, int page) {
    PayloadSweep sweep = log.sweep(page);
    Optional<String> place = Optional.empty();
    int removed = 0;
    do {
      PayloadSweep.Swept swept = sweep.sweep(place, now);
      removed += swept.removed();
      place = swept.next();
    } while (place.isPresent());
    return removed;
  }

  private void snapshot(long number) {
    TestLog.await(
        log.snapshots.save(
            id, new SnapshotArchive.Stored(number, 0, TestLog.event("w", LARGE + number))));
  }
}
