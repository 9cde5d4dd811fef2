package dev.colony.blackboard.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.TestRedisCluster;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is acknowledged, and what a replica has that is promoted. */
class ReplicaWaitTest {

  private static final int WRITERS = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long a write waits for a replica that it will not have. */
  private static final Duration IN_VAIN = Duration.ofSeconds(2);

  private final PromotedReplica failover = new PromotedReplica();
  private final Scope scope = Scope.agent("t", "c", "a");

  @AfterEach
  void close() {
    failover.close();
  }

  @Test
  void nothingThatWasAcknowledgedIsLostWhereReplicasAreWaitedFor() {
    assertThat(lost(1)).isEmpty();
  }

  /** Without which the test above would prove nothing. */
  @Test
  void whatAReplicaDidNotHaveIsLostWhereNoneIsWaitedFor() {
    assertThat(lost(0)).isNotEmpty();
  }

  @Test
  void oneWaitServesTheWritesThatAreUnderWay() {
    try (RedisConnections redis = connect(1, PATIENCE);
        RedisBlackboards boards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      Blackboard board = boards.open(scope, "w");
      CompletableFuture<?>[] writes =
          IntStream.range(0, 500)
              .mapToObj(i -> board.write(Write.value("k" + i, "v")).toCompletableFuture())
              .toArray(CompletableFuture[]::new);
      CompletableFuture.allOf(writes).join();
    }
    long waits =
        failover
            .atMaster("INFO commandstats")
            .lines()
            .filter(line -> line.startsWith("cmdstat_wait:calls="))
            .mapToLong(line -> Long.parseLong(line.split("[=,]")[1]))
            .sum();
    assertThat(waits).isBetween(1L, 250L);
  }

  @Test
  void aWriteThatNoReplicaGetsFailsAndSaysHowManyHaveIt() {
    failover.cut();
    try (RedisConnections redis = connect(1, IN_VAIN);
        RedisBlackboards boards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      assertTooFew(boards);
    }
  }

  @Test
  void aClusterIsWaitedForServerByServer() {
    RedisSettings settings = RedisSettings.withTimeout(IN_VAIN).withWaitReplicas(1);
    try (RedisConnections redis = new RedisConnections(TestRedisCluster.shared().uri(), settings);
        RedisBlackboards boards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      assertTooFew(boards);
    }
  }

  private void assertTooFew(RedisBlackboards boards) {
    Throwable failure =
        boards
            .open(scope, "w")
            .write(Write.value("k", "v"))
            .handle((done, failed) -> failed)
            .toCompletableFuture()
            .join();
    assertThat(failure)
        .hasMessageContaining("0 of the 1 replicas")
        .cause()
        .isInstanceOfSatisfying(
            BlackboardException.class,
            known -> assertThat(known.reason()).isEqualTo(Reason.TIMEOUT));
  }

  /** Keys whose write was acknowledged, and that the promoted replica does not have. */
  private Set<String> lost(int waited) {
    Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    AtomicBoolean over = new AtomicBoolean();
    try (RedisConnections redis = connect(waited, waited == 0 ? PATIENCE : IN_VAIN);
        RedisBlackboards boards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      Blackboard board = boards.open(scope, "w");
      List<CompletableFuture<Void>> writers =
          IntStream.range(0, WRITERS)
              .mapToObj(writer ->
                  CompletableFuture.runAsync(
                      () -> write(board, writer, acknowledged, over), Thread::startVirtualThread))
              .toList();
      await().atMost(PATIENCE).until(() -> acknowledged.size() > 200);
      failover.cut();
      int before = acknowledged.size();
      if (waited == 0) {
        await().atMost(PATIENCE).until(() -> acknowledged.size() > before + 50);
      }
      failover.lose();
      over.set(true);
      writers.forEach(CompletableFuture::join);
    }
    try (RedisConnections redis = connect(0, PATIENCE);
        RedisBlackboards boards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      Blackboard board = boards.open(scope, "w");
      Set<String> missing = ConcurrentHashMap.newKeySet();
      for (String key : acknowledged) {
        if (board.read(key).toCompletableFuture().join().isEmpty()) {
          missing.add(key);
        }
      }
      return missing;
    }
  }

  private static void write(
      Blackboard board, int writer, Set<String> acknowledged, AtomicBoolean over) {
    for (int i = 0; !over.get(); i++) {
      String key = "k-" + writer + "-" + i;
      board
          .write(Write.value(key, i))
          .thenAccept(done -> acknowledged.add(key))
          .exceptionally(failure -> null)
          .toCompletableFuture()
          .join();
    }
  }

  private RedisConnections connect(int waited, Duration patience) {
    return new RedisConnections(
        failover.door().uri(),
        RedisSettings.withTimeout(patience)
            .withReconnect(Duration.ofMillis(20), Duration.ofMillis(200))
            .withWaitReplicas(waited));
  }
}
