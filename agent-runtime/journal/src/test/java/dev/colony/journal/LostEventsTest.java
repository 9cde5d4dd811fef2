package dev.colony.journal;

import static dev.colony.journal.TestLog.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.server.TestServer;
import dev.colony.journal.Journal.JournalListener;
import dev.colony.journal.JournalException.LostEventsException;
import io.lettuce.core.KillArgs;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A store that goes back to an older state. Here the state is set back by hand; the tests of the
 * profile faults have a replica promoted that is behind, and a file cut.
 */
class LostEventsTest {

  private static final String ID = "agent";

  private final TestServer server = TestServer.start();
  private final Heard heard = new Heard();
  private TestLog log;

  /** What the listener is told. */
  private static final class Heard implements JournalListener {
    final List<Instant> rolledBack = new CopyOnWriteArrayList<>();
    final List<String> lost = new CopyOnWriteArrayList<>();

    @Override
    public void rolledBack(Instant since) {
      rolledBack.add(since);
    }

    @Override
    public void lost(String persistenceId, long stored, long acknowledged) {
      lost.add(persistenceId + " " + stored + " " + acknowledged);
    }
  }

  @BeforeEach
  void connect() {
    log = watching("node-a");
  }

  @AfterEach
  void disconnect() {
    log.close();
    server.close();
  }

  @Test
  void logThatLacksEventsTakesNothingMore() {
    log.append(ID, 1, "w", "a", "b", "c");
    setBack(1);
    assertThatThrownBy(() -> log.append(ID, 4, "w", "d")).isInstanceOf(LostEventsException.class);
    try (TestLog other = watching("node-b")) {
      assertThatThrownBy(() -> other.highest(ID))
          .isInstanceOf(LostEventsException.class)
          .hasMessageContaining("the log of agent lacks event 3");
      assertThatThrownBy(() -> other.append(ID, 2, "x", "other"))
          .as("of the writer")
          .isInstanceOf(LostEventsException.class);
    }
    assertThat(heard.lost).as("once at each node").containsExactly("agent 1 3", "agent 1 3");
  }

  @Test
  void lossIsFoundByWhatThisNodeRemembersWithoutAnyWrite() {
    log.append(ID, 1, "w", "a", "b", "c");
    log.append("well", 1, "w", "a");
    setBack(1);
    breakConnections();
    await().untilAsserted(() -> assertThat(heard.lost).containsExactly("agent 1 3"));
    assertThat(log.highest("well")).isEqualTo(1);
  }

  @Test
  void lossIsFoundWhereAnotherWriterHasGoneOnSince() {
    log.append(ID, 1, "w", "a", "b", "c");
    setBack(1);
    try (TestLog other = new TestLog(server.uri())) {
      other.append(ID, 2, "x", "1", "2", "3", "4");
    }
    breakConnections();
    await().untilAsserted(() -> assertThat(heard.lost).containsExactly("agent 5 3"));
  }

  @Test
  void brokenConnectionAloneHoldsUpNothing() {
    log.append(ID, 1, "w", "a");
    breakConnections();
    assertThat(log.highest(ID)).isEqualTo(1);
    log.append(ID, 2, "w", "b");
    assertThat(log.replay(ID)).containsExactly("1=a", "2=b");
    assertThat(heard.lost).isEmpty();
    assertThat(heard.rolledBack).isEmpty();
  }

  @Test
  void decisionLetsTheLogGoOnAndIsKnownUntilTheNextAppend() {
    log.append(ID, 1, "w", "a", "b");
    setBack(1);
    assertThatThrownBy(() -> log.append(ID, 3, "w", "c")).isInstanceOf(LostEventsException.class);
    assertThat(await(log.log.decide(ID, "close"))).isTrue();
    assertThat(await(log.log.decide(ID, "continue"))).as("a second time").isFalse();
    assertThat(log.highest(ID)).isEqualTo(1);
    assertThat(log.watch.takeDecision(ID))
        .contains(new LostLogs.Decided(LostLogs.Decision.CLOSE, 2));
    log.append(ID, 2, "next", "other");
    assertThat(await(log.log.look(ID)).decision()).isEmpty();
    assertThat(log.replay(ID)).containsExactly("1=a", "2=other");
  }

  @Test
  void nodeThatRemembersGivesTheEventsBack() {
    log.append(ID, 1, "w", "a", "b");
    log.append(ID, 3, "w", "c");
    setBack(1);
    assertThatThrownBy(() -> log.append(ID, 4, "w", "d")).isInstanceOf(LostEventsException.class);
    try (TestLog other = watching("node-b")) {
      assertThat(await(other.log.restore(ID))).as("one that does not").isFalse();
    }
    assertThat(await(log.log.restore(ID))).isTrue();
    log.append(ID, 4, "w", "d");
    assertThat(log.replay(ID)).containsExactly("1=a", "2=b", "3=c", "4=d");
  }

  @Test
  void tickThatIsGoneTellsSinceWhen() {
    log.append(ID, 1, "w", "a");
    awaitTick(log, "node-a", 3);
    Instant before = Instant.now();
    log.redis().hset(ticks(), "node-a", text("1")).toCompletableFuture().join();
    await().untilAsserted(() -> assertThat(heard.rolledBack).hasSize(1));
    Instant since = heard.rolledBack.getFirst();
    assertThat(since).isBefore(before);
    await()
        .untilAsserted(() ->
            assertThat(await(log.redis().hget(ticks(), LostLogs.ROLLBACK)))
                .as("for operators")
                .asString()
                .endsWith(" " + since));
  }

  @Test
  void nodeThatDiedWithItsTicksIsKnownToTheOthers() {
    TestLog dead = watching("node-dead");
    awaitTick(dead, "node-dead", 2);
    awaitTick(log, "node-a", 3);
    awaitTick(log, "node-a", 6);
    dead.watch.halt();
    log.redis().hset(ticks(), "node-dead", text("1")).toCompletableFuture().join();
    await().untilAsserted(() -> assertThat(log.watch.diedUnknown("node-dead")).isTrue());
    try (TestLog later = watching("node-later")) {
      await().untilAsserted(() -> assertThat(later.watch.diedUnknown("node-dead")).isTrue());
    }
    assertThat(log.watch.diedUnknown("node-a")).isFalse();
  }

  @Test
  void nodeThatLeavesIsNotMissed() {
    TestLog leaving = watching("node-leaving");
    awaitTick(leaving, "node-leaving", 2);
    leaving.close();
    await()
        .untilAsserted(() -> assertThat(await(log.redis().hget(ticks(), "node-leaving"))).isNull());
    assertThat(log.watch.diedUnknown("node-leaving")).isFalse();
  }

  private TestLog watching(String node) {
    TestLog watching = new TestLog(server.uri());
    watching.log.listen(heard);
    watching.watch.listen(heard);
    watching.watch.start(node, watching.log::restore);
    await(watching.watch.settled());
    return watching;
  }

  /** As a server does that comes back older. */
  private void setBack(long last) {
    log.redis().del(log.events(ID)).toCompletableFuture().join();
    for (long i = 1; i <= last; i++) {
      log.redis()
          .xadd(
              log.events(ID),
              new io.lettuce.core.XAddArgs().id(i + "-0"),
              Map.of("f", TestLog.event("w", Character.toString((char) ('a' + i - 1)))))
          .toCompletableFuture()
          .join();
    }
    log.redis().hset(log.meta(ID), "last", text(Long.toString(last))).toCompletableFuture().join();
  }

  private void breakConnections() {
    try (TestLog killer = new TestLog(server.uri())) {
      await(killer.redis().clientKill(KillArgs.Builder.typeNormal().skipme(true)));
    }
  }

  /** Has a node write until it has ticked so often. */
  private void awaitTick(TestLog writing, String node, long least) {
    long[] written = {writing.highest("diary of " + node)};
    await()
        .untilAsserted(() -> {
          writing.append("diary of " + node, ++written[0], "w", "line");
          assertThat(
                  Optional.ofNullable(await(log.redis().hget(ticks(), node)))
                      .map(tick -> Long.parseLong(new String(tick, StandardCharsets.UTF_8))))
              .hasValueSatisfying(tick -> assertThat(tick).isGreaterThanOrEqualTo(least));
        });
  }

  private String ticks() {
    return log.watch.hashes().getFirst();
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
