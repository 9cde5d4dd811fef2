package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AppendCeilingTest {

  @Test
  void appendsAndLeavesNothingBehind() {
    try (TestRedis redis = TestRedis.start();
        RedisConnections own = new RedisConnections(redis.uri(), Duration.ofSeconds(20))) {
      AppendCeiling ceiling = new AppendCeiling(redis.uri(), 7, 100, 500);
      AppendCeiling.Rate best = ceiling.best();
      assertThat(best.appendsPerSecond()).isPositive();
      assertThat(best.depth()).isEqualTo(7);
      assertThat(ceiling.measure(1, 3).depth()).isEqualTo(3);
      assertThat(own.commands().keys("*").toCompletableFuture().join()).isEmpty();
    }
  }

  @Test
  void aToolCanSendTheSameScript() {
    try (RedisConnections redis =
        new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20))) {
      AppendCeiling.ToolInput input =
          new AppendCeiling(TestRedis.shared().uri(), 1, 64, 1).toolInput();
      String digest = redis.commands().scriptLoad(input.script()).toCompletableFuture().join();
      assertThat(digest).isEqualTo(input.digest());
      List<String> command =
          input.command().stream()
              .map(word -> word.replace("__rand_int__", Long.toString(System.nanoTime())))
              .toList();
      assertThat(command.subList(0, 3)).containsExactly("EVALSHA", digest, "2");
      Long last =
          redis
              .commands()
              .<Long>evalsha(
                  digest,
                  ScriptOutputType.INTEGER,
                  command.subList(3, 5).toArray(String[]::new),
                  command.subList(5, command.size()).stream()
                      .map(String::getBytes)
                      .toArray(byte[][]::new))
              .toCompletableFuture()
              .join();
      assertThat(last).isEqualTo(1);
    }
  }

  @Test
  void whatIsOutOfRangeIsRefused() {
    assertThatThrownBy(() -> new AppendCeiling("redis://127.0.0.1:1", 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("persistence ids 0");
  }
}
