package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.JournalException.DamagedLogException;
import dev.colony.journal.JournalException.FencedException;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections and the server itself die under load; nothing acknowledged is lost or doubled. */
class JournalOutageTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private TestRedis redis;
  private ActorSystem system;
  private TestLog log;

  @BeforeEach
  void start() {
    redis = TestRedis.start();
    system = ActorSystem.create("outage", JournalConfig.on(redis.uri()));
    log = new TestLog(redis.uri());
  }

  @AfterEach
  void stop() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
    log.close();
    redis.close();
  }

  @Test
  void killedConnectionsFailNoPersist() throws Exception {
    killConnections(40, 100, 20);
  }

  @Test
  void aKilledServerKeepsWhatItAcknowledged() throws Exception {
    killServer(40, 60, 2);
  }

  @Test
  @Tag("faults")
  void killedConnectionsFailNoPersistForLong() throws Exception {
    killConnections(200, 500, 200);
  }

  @Test
  @Tag("faults")
  void aServerKilledAgainAndAgainKeepsWhatItAcknowledged() throws Exception {
    killServer(200, 200, 10);
  }

  @Test
  @Tag("faults")
  void aServerAwayForLongerThanTheTimeoutFailsPersistsAndTheyGoOn() throws Exception {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
    system =
        ActorSystem.create(
            "outage", JournalConfig.on(redis.uri(), "colony.agent.journal.command-timeout = 1s"));
    PersistLoad load = PersistLoad.start(system, 40, 100);
    await()
        .pollInterval(5, TimeUnit.MILLISECONDS)
        .atMost(PATIENCE)
        .until(() -> load.acknowledged.get() > load.total() / 3);
    redis.kill();
    await()
        .pollInterval(5, TimeUnit.MILLISECONDS)
        .atMost(PATIENCE)
        .until(() -> load.failures.size() >= 40);
    redis.ensure();
    finish(load);
    assertThat(load.failures)
        .allSatisfy(failure ->
            assertThat(failure)
                .isNotInstanceOf(FencedException.class)
                .isNotInstanceOf(DamagedLogException.class));
  }

  private void killConnections(int actors, int events, int kills) throws InterruptedException {
    PersistLoad load = PersistLoad.start(system, actors, events);
    for (int kill = 1; kill <= kills; kill++) {
      int reached = (int) ((long) load.total() * kill / (kills + 1));
      await()
          .pollInterval(5, TimeUnit.MILLISECONDS)
          .atMost(PATIENCE)
          .until(() -> load.acknowledged.get() >= reached);
      log.redis().clientKill(KillArgs.Builder.typeNormal()).toCompletableFuture().join();
    }
    finish(load);
    assertThat(load.failures).isEmpty();
    assertThat(load.acknowledged).hasValue(load.total());
  }

  private void killServer(int actors, int events, int kills) throws InterruptedException {
    PersistLoad load = PersistLoad.start(system, actors, events);
    for (int kill = 1; kill <= kills; kill++) {
      int reached = load.total() * kill / (kills + 1);
      await()
          .pollInterval(5, TimeUnit.MILLISECONDS)
          .atMost(PATIENCE)
          .until(() -> load.acknowledged.get() >= reached);
      redis.kill();
      redis.ensure();
    }
    finish(load);
    assertThat(load.failures).isEmpty();
    assertThat(load.acknowledged).hasValue(load.total());
  }

  private void finish(PersistLoad load) throws InterruptedException {
    assertThat(load.done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(load.ids).allSatisfy(id -> assertThat(log.replay(id)).isEqualTo(load.expected()));
  }
}
