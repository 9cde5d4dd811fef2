package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.server.RedisShell;
import dev.colony.blackboard.server.TestRedisCluster;
import dev.colony.blackboard.server.TestSentinel;
import dev.colony.blackboard.server.TestServer;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The same commands over a cluster and over what sentinels name, while servers die. */
class ConnectingTest {

  private static final RedisScript WRITE =
      RedisScript.resource(ConnectingTest.class, "connecting.lua", ScriptOutputType.VALUE);
  private static final RedisSettings SETTINGS =
      RedisSettings.withTimeout(Duration.ofSeconds(20)).withSilentAfter(Duration.ofMillis(500));

  @Test
  void scriptsReachEveryServerOfAClusterAndPushesComeFromEach() {
    TestRedisCluster cluster = TestRedisCluster.shared();
    try (RedisConnections redis = new RedisConnections(cluster.uri(), SETTINGS);
        StatefulRedisPubSubConnection<String, byte[]> pushes = redis.connectPubSub()) {
      Queue<String> pushed = new ConcurrentLinkedQueue<>();
      pushes.addListener(
          new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, byte[] message) {
              pushed.add(new String(message));
            }
          });
      pushes.async().subscribe("connecting").toCompletableFuture().join();
      List<String> keys = IntStream.range(0, 30).mapToObj(i -> "connecting:{" + i + "}").toList();
      keys.forEach(key -> assertThat(write(redis, key)).isEqualTo(key));
      assertThat(keys.stream().map(cluster::serverOf).distinct()).hasSize(3);
      await().untilAsserted(() -> assertThat(pushed).containsExactlyInAnyOrderElementsOf(keys));
    }
  }

  @Test
  void aServerOfAClusterThatIsBackIsWrittenToAgain() {
    try (TestRedisCluster cluster = TestRedisCluster.start();
        RedisConnections redis = new RedisConnections(cluster.uri(), SETTINGS)) {
      List<Boolean> told = new CopyOnWriteArrayList<>();
      redis.onAvailability(told::add);
      write(redis, "connecting:a");
      TestServer server = cluster.serverOf("connecting:a");
      String elsewhere =
          IntStream.iterate(0, i -> i + 1)
              .mapToObj(i -> "connecting:{" + i + "}")
              .filter(key -> cluster.serverOf(key) != server)
              .findFirst()
              .orElseThrow();
      RedisShell other = cluster.serverOf(elsewhere).shell();
      server.kill();
      await().untilAsserted(() -> assertThat(told).containsExactly(false));
      await().until(() -> other.command("CLUSTER INFO").contains("cluster_state:fail"));
      assertThatThrownBy(() -> write(redis, elsewhere))
          .cause()
          .hasMessageContaining("see CLUSTER INFO")
          .isInstanceOfSatisfying(
              BlackboardException.class,
              down -> assertThat(down.reason()).isEqualTo(Reason.CLUSTER_DOWN));
      server.restart();
      cluster.awaitReady();
      assertThat(write(redis, "connecting:a")).isEqualTo("connecting:a");
      await().untilAsserted(() -> assertThat(told).containsExactly(false, true));
    }
  }

  @Test
  void writesGoOnAfterAPromotion() {
    try (TestSentinel sentinel = TestSentinel.start();
        RedisConnections redis = new RedisConnections(sentinel.uri(), SETTINGS)) {
      write(redis, "connecting:a");
      sentinel.primary().kill();
      assertThat(write(redis, "connecting:b")).isEqualTo("connecting:b");
      assertThat(sentinel.replica().shell().command("GET connecting:b")).isEqualTo("v");
    }
  }

  private static String write(RedisConnections redis, String key) {
    CompletionStage<byte[]> written =
        WRITE.run(redis.commands(), new String[] {key}, "v".getBytes());
    return new String(RedisFailure.translate(written).toCompletableFuture().join());
  }
}
