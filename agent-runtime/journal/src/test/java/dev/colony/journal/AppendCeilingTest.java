package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
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
  void whatIsOutOfRangeIsRefused() {
    assertThatThrownBy(() -> new AppendCeiling("redis://127.0.0.1:1", 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("persistence ids 0");
  }
}
