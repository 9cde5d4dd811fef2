package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.JournalException.DamagedLogException;
import dev.colony.journal.JournalException.FencedException;
import dev.colony.journal.LogView.Glimpses;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A recovery reads a snapshot and then asks where the log ends. */
class GlimpsesTest {

  private static TestLog log;
  private static TestLog other;

  private final String id = "log-" + UUID.randomUUID();

  @BeforeAll
  static void connect() {
    log = new TestLog(TestRedis.shared().uri());
    other = new TestLog(TestRedis.shared().uri());
  }

  @AfterAll
  static void disconnect() {
    log.close();
    other.close();
  }

  @Test
  void theEndOfTheLogIsReadWithTheSnapshot() {
    other.append(id, 1, "w", "a", "b", "c");
    other.snapshot(id, 2);
    assertThat(log.snapshot(id)).hasValue(2);
    other.append(id, 4, "w", "d");
    assertThat(log.highest(id)).as("as it was then").isEqualTo(3);
    assertThat(log.highest(id)).as("a second time").isEqualTo(4);
  }

  @Test
  void whereThereIsNoSnapshotItIsReadAllTheSame() {
    assertThat(log.snapshot(id)).isEmpty();
    other.append(id, 1, "w", "a");
    assertThat(log.highest(id)).isZero();
    assertThat(log.replay(id)).containsExactly("1=a");
  }

  /** So a recovery that has missed another writer's event is refused, and reads again. */
  @Test
  void whoeverHasReadTooEarlyCannotAppend() {
    other.append(id, 1, "w", "a");
    log.snapshot(id);
    other.append(id, 2, "w", "b");
    long next = log.highest(id) + 1;
    assertThatThrownBy(() -> log.append(id, next, "v", "c")).isInstanceOf(FencedException.class);
    log.snapshot(id);
    assertThat(log.highest(id)).isEqualTo(2);
  }

  @Test
  void whatIsAppendedFromHereIsNeverMissed() {
    log.append(id, 1, "w", "a");
    log.snapshot(id);
    log.append(id, 2, "w", "b");
    assertThat(log.highest(id)).isEqualTo(2);
  }

  @Test
  void anAppendThatIsUnderWayIsWaitedFor() {
    log.append(id, 1, "w", "a");
    var append = log.log.append(id, 2, "w", Optional.empty(), List.of(TestLog.event("w", "b")));
    log.snapshot(id);
    assertThat(log.highest(id)).isEqualTo(2);
    TestLog.await(append);
  }

  @Test
  void aLogThatContradictsItselfIsDetected() {
    log.append(id, 1, "w", "a", "b");
    log.redis()
        .hset(log.meta(id), Map.of("last", "3".getBytes(StandardCharsets.UTF_8)))
        .toCompletableFuture()
        .join();
    log.snapshot(id);
    assertThatThrownBy(() -> log.highest(id)).isInstanceOf(DamagedLogException.class);
  }

  @Test
  void fewAreKept() {
    Glimpses glimpses = new Glimpses();
    LogView view = new LogView(1, 0, "w", 1, List.of(), 0, Optional.empty());
    glimpses.begin("first").show(view);
    for (int i = 0; i < 1_000; i++) {
      glimpses.begin("log-" + i).show(view);
    }
    assertThat(glimpses.take("first")).isEmpty();
    assertThat(glimpses.take("log-0")).hasValue(view);
    assertThat(glimpses.take("log-0")).isEmpty();
    assertThat(glimpses.take("log-999")).hasValue(view);
  }
}
