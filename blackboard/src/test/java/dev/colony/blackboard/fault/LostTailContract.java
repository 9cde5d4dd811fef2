package dev.colony.blackboard.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisDoor;
import dev.colony.blackboard.redis.RedisSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server has lost the events that it acknowledged last: who has had one of them, or stands on
 * one, is told and does not go on over the hole. That new events have taken the same ordinals
 * meanwhile makes no difference.
 */
abstract class LostTailContract {

  private static final int KEPT = 10;
  private static final int LOST = 5;

  private LostTail tail;
  private RedisDoor readersDoor;
  private RedisConnections writing;
  private RedisConnections reading;
  private RedisBlackboards writers;
  private RedisBlackboards readers;

  Blackboard writer;
  Blackboard reader;

  abstract LostTail tail();

  @BeforeEach
  void start() throws IOException {
    tail = tail();
    readersDoor = new RedisDoor(tail.door().port());
    RedisSettings settings =
        RedisSettings.withTimeout(Duration.ofSeconds(30))
            .withReconnect(Duration.ofMillis(20), Duration.ofMillis(200));
    writing = new RedisConnections(tail.door().uri(), settings);
    reading = new RedisConnections(readersDoor.uri(), settings);
    writers = new RedisBlackboards(writing, BlackboardSettings.DEFAULTS);
    readers = new RedisBlackboards(reading, BlackboardSettings.DEFAULTS);
    Scope scope = Scope.session("t", "c", "s");
    writer = writers.open(scope, "w");
    reader = readers.open(scope, "r");
  }

  @AfterEach
  void stop() {
    readers.close();
    writers.close();
    reading.close();
    writing.close();
    readersDoor.close();
    tail.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLiveSubscriberIsTold(boolean ordinalsTakenAnew) {
    Recorder live = Recorder.eager().to(reader.subscribe("*", SubscribeFrom.now()));
    Position last = writeKeptAndLost();
    live.awaitCount(KEPT + LOST);
    loseBehindClosedDoor(ordinalsTakenAnew);
    assertEventsLost(live);
    assertThat(live.events()).hasSize(KEPT + LOST);
    assertThat(live.events().getLast().position()).isEqualTo(last);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoComesBackToALostPositionIsTold(boolean ordinalsTakenAnew) {
    Position last = writeKeptAndLost();
    loseBehindClosedDoor(ordinalsTakenAnew);
    Recorder back = Recorder.eager().to(reader.subscribe("*", SubscribeFrom.after(last)));
    assertEventsLost(back);
    assertThat(back.events()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDurableSubscriberThatAcknowledgesALostEventIsTold(boolean ordinalsTakenAnew) {
    SubscribeFrom durable = SubscribeFrom.durable("d");
    Recorder live = Recorder.eager().to(reader.subscribe("*", durable));
    Position last = writeKeptAndLost();
    live.awaitCount(KEPT + LOST).cancel();
    loseBehindClosedDoor(ordinalsTakenAnew);
    now(reader.acknowledge("d", last));
    Recorder back = Recorder.eager().to(reader.subscribe("*", durable));
    assertEventsLost(back);
    assertThat(back.events()).isEmpty();
  }

  @Test
  void aDurableSubscriberWhoseAcknowledgementIsLostTooGoesOnAfterTheOneBefore() {
    SubscribeFrom durable = SubscribeFrom.durable("d");
    Recorder live = Recorder.eager().to(reader.subscribe("*", durable));
    write(writer, "kept", KEPT);
    BlackboardEvent kept = live.awaitCount(KEPT).events().getLast();
    now(reader.acknowledge("d", kept.position()));
    tail.keepUntilHere();
    Position last = write(writer, "lost", LOST);
    live.awaitCount(KEPT + LOST).cancel();
    now(reader.acknowledge("d", last));
    loseBehindClosedDoor(true);
    Recorder back = Recorder.eager().to(reader.subscribe("*", durable));
    assertThat(back.awaitCount(LOST + 1).keys()).isEqualTo(keys("new", LOST + 1));
    assertThat(back.end()).isNotDone();
  }

  @Test
  void whoHadNoneOfTheLostEventsGoesOn() {
    Recorder live = Recorder.eager().to(reader.subscribe("*", SubscribeFrom.now()));
    write(writer, "kept", KEPT);
    live.awaitCount(KEPT);
    readersDoor.slam();
    tail.keepUntilHere();
    write(writer, "lost", LOST);
    tail.lose();
    write(writer, "new", LOST);
    readersDoor.open();
    live.awaitCount(KEPT + LOST);
    assertThat(live.keys().subList(KEPT, KEPT + LOST)).isEqualTo(keys("new", LOST));
    assertThat(live.end()).isNotDone();
  }

  @Test
  void aScopeThatIsGoneAltogetherIsNoticed() {
    Recorder live = Recorder.eager().to(reader.subscribe("*", SubscribeFrom.now()));
    tail.keepUntilHere();
    write(writer, "lost", LOST);
    live.awaitCount(LOST);
    loseBehindClosedDoor(false);
    assertEventsLost(live);
  }

  @Test
  void anEntryOfALostWriteIsGoneWithItsEvent() {
    Position last = writeKeptAndLost();
    loseBehindClosedDoor(false);
    assertThat(now(reader.read("lost0"))).isEmpty();
    assertThat(now(reader.read("kept0"))).isPresent();
    assertThat(write(writer, "new", 1)).isGreaterThan(last);
  }

  private Position writeKeptAndLost() {
    write(writer, "kept", KEPT);
    tail.keepUntilHere();
    return write(writer, "lost", LOST);
  }

  /** Readers see neither the loss nor what comes after it before all of it has happened. */
  private void loseBehindClosedDoor(boolean ordinalsTakenAnew) {
    readersDoor.slam();
    tail.lose();
    if (ordinalsTakenAnew) {
      write(writer, "new", LOST + 1);
    }
    readersDoor.open();
  }

  /** Writes so many entries of a name; the position of the last. */
  static Position write(Blackboard board, String name, int count) {
    Position last = Position.BEGINNING;
    for (String key : keys(name, count)) {
      WriteResult result = now(board.write(Write.value(key, name)));
      last = ((WriteResult.Written) result).position();
    }
    return last;
  }

  static List<String> keys(String name, int count) {
    return IntStream.range(0, count).mapToObj(n -> name + n).toList();
  }

  static void assertEventsLost(Recorder recorder) {
    await().atMost(Fault.PATIENCE).until(recorder.end()::isDone);
    assertThat(recorder.end().exceptionNow())
        .isInstanceOfSatisfying(
            BlackboardException.class,
            failure ->
                assertThat(failure.reason()).isEqualTo(BlackboardException.Reason.EVENTS_LOST));
  }

  static <T> T now(CompletionStage<T> stage) {
    return stage
        .toCompletableFuture()
        .orTimeout(Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .join();
  }
}
