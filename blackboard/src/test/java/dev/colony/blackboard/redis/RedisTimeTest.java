package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.clock.ClusterClock.TimeStore;
import dev.colony.blackboard.redis.ScopeCalls.RedisTime;
import dev.colony.blackboard.server.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The script by which processes agree on the time. The server is the test's own. */
class RedisTimeTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final TestServer server = TestServer.start();
  private final RedisConnections connections =
      new RedisConnections(server.uri(), Duration.ofSeconds(30));
  private final RedisTime time = new RedisTime(connections);

  @AfterEach
  void close() {
    connections.close();
    server.close();
  }

  @Test
  void theServersClockBeginsTheTime() {
    TimeStore.Reading first = agree(Optional.empty());
    assertThat(first.cluster()).isEqualTo(first.store());
  }

  @Test
  void whoHasATimeBeginsItWhereNothingIsStored() {
    Instant mine = Instant.parse("2030-01-01T00:00:00.123Z");
    assertThat(agree(Optional.of(mine)).cluster()).isEqualTo(mine);
  }

  @Test
  void theGreatestOfWhatWasSaidIsKept() {
    Instant begun = agree(Optional.empty()).cluster();
    Instant ahead = begun.plus(HOUR).truncatedTo(ChronoUnit.MILLIS);
    assertThat(agree(Optional.of(ahead)).cluster()).isEqualTo(ahead);
    assertThat(agree(Optional.of(begun)).cluster()).isEqualTo(ahead);
    assertThat(agree(Optional.of(ahead)).cluster()).as("a repeat").isEqualTo(ahead);
  }

  @Test
  void forAProcessWithoutATimeWhatHasGoneByOnTheServersClockIsAdded() {
    Instant agreed = Instant.parse("2030-01-01T00:00:00Z");
    Instant server = agree(Optional.empty()).store();
    stored(agreed, server.minus(HOUR));
    TimeStore.Reading cold = agree(Optional.empty());
    assertThat(cold.cluster())
        .isEqualTo(agreed.plus(HOUR).plus(Duration.between(server, cold.store())));
    assertThat(agree(Optional.of(agreed)).cluster()).isEqualTo(cold.cluster());
  }

  @Test
  void aServersClockThatWasSetBackTakesNothingOff() {
    Instant agreed = Instant.parse("2030-01-01T00:00:00Z");
    Instant server = agree(Optional.empty()).store();
    stored(agreed, server.plus(HOUR));
    assertThat(agree(Optional.empty()).cluster()).isEqualTo(agreed);
  }

  @Test
  void stepsOfTheServersClockMoveNoProcessThatHasATime() {
    Instant mine = agree(Optional.empty()).cluster();
    Instant server = agree(Optional.of(mine)).store();
    stored(mine, server.minus(HOUR));
    assertThat(agree(Optional.of(mine.plusMillis(1_000))).cluster())
        .isEqualTo(mine.plusMillis(1_000));
  }

  private void stored(Instant cluster, Instant store) {
    String text = cluster.toEpochMilli() + " " + store.toEpochMilli();
    connections.commands().set(ScopeKeys.CLOCK, text.getBytes(UTF_8)).toCompletableFuture().join();
  }

  private TimeStore.Reading agree(Optional<Instant> mine) {
    return time.agree(mine).toCompletableFuture().join();
  }
}
