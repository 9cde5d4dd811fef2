package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One process with a subscriber in each of very many scopes. */
class ManyFeedsTest {

  @Test
  void subscribersOfManyScopesShareOneConnectionAndOutliveIt() {
    subscribe(500);
  }

  @Test
  @Tag("faults")
  void subscribersOfTenThousandScopesShareOneConnectionAndOutliveIt() {
    subscribe(10_000);
  }

  private void subscribe(int scopes) {
    BlackboardSettings settings =
        BlackboardSettings.DEFAULTS.withSweepInterval(Duration.ofHours(1));
    try (TestRedis server = TestRedis.start(Fsync.NO);
        RedisConnections connections = new RedisConnections(server.uri(), Duration.ofSeconds(30));
        RedisConnections observer = new RedisConnections(server.uri(), Duration.ofSeconds(30));
        RedisBlackboards blackboards = new RedisBlackboards(connections, settings)) {
      long others = clients(observer) - 2;
      List<Blackboard> boards =
          IntStream.range(0, scopes)
              .mapToObj(n -> blackboards.open(Scope.agent("t", "c", "a" + n), "w"))
              .toList();
      long used = usedBytes();
      long begun = System.nanoTime();
      List<Recorder> recorders =
          boards.stream()
              .map(board -> {
                Recorder recorder = Recorder.eager();
                board.subscribe("*", SubscribeFrom.now()).subscribe(recorder);
                return recorder;
              })
              .toList();
      recorders.forEach(recorder -> recorder.to(subscriber -> {}));
      System.out.printf(
          "%d subscribed in %d ms, %d bytes each%n",
          scopes, millisSince(begun), (usedBytes() - used) / scopes);
      assertThat(clients(observer) - others).as("connections").isEqualTo(2);

      long calls = RedisTest.commandCalls(observer.commands(), "evalsha");
      blackboards.sweep();
      writeAll(boards, "pushed");
      awaitAll(recorders, 1);

      begun = System.nanoTime();
      RedisTest.get(observer.commands().clientKill(KillArgs.Builder.typePubsub()));
      writeAll(boards, "while away");
      awaitAll(recorders, 2);
      System.out.printf("outlived the connection in %d ms%n", millisSince(begun));
      recorders.forEach(
          recorder -> assertThat(recorder.keys()).containsExactly("pushed", "while away"));
      // Two writes for each, a read of its log after the outage, and another where a push comes in
      // while that is under way; few for all heads together.
      assertThat(RedisTest.commandCalls(observer.commands(), "evalsha") - calls)
          .isLessThan(4L * scopes + 10L * settings.buckets());
    }
  }

  private static void writeAll(List<Blackboard> boards, String key) {
    boards.stream()
        .map(board -> board.write(RedisTest.text(key, "x")))
        .toList()
        .forEach(write -> RedisTest.written(write, 1));
  }

  private static long clients(RedisConnections observer) {
    return RedisTest.get(observer.commands().clientList()).lines().count();
  }

  private static void awaitAll(List<Recorder> recorders, int count) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> recorders.stream().allMatch(recorder -> recorder.events().size() >= count));
  }

  private static long usedBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
