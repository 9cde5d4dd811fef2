package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StepLatenciesTest {

  private static final AgentId AGENT = new AgentId("t", "c", "a");

  @Test
  void percentilesAreExactToThreeDigits() {
    StepsBench.StepLatencies latencies = new StepsBench.StepLatencies();
    for (int i = 1; i <= 1000; i++) {
      latencies.stepCompleted(AGENT, Duration.ofNanos(1000L * i));
    }
    assertThat(latencies.steps()).isEqualTo(1000);
    near(latencies.percentile(0.5), Duration.ofNanos(500_000));
    near(latencies.percentile(0.99), Duration.ofNanos(990_000));
    near(latencies.percentile(1), Duration.ofNanos(1000_000));
  }

  @Test
  void nothingMeasuredIsZero() {
    assertThat(new StepsBench.StepLatencies().percentile(0.99)).isZero();
  }

  @Test
  void extremesAreCounted() {
    StepsBench.StepLatencies latencies = new StepsBench.StepLatencies();
    latencies.stepCompleted(AGENT, Duration.ZERO);
    latencies.stepCompleted(AGENT, Duration.ofNanos(Long.MAX_VALUE));
    assertThat(latencies.percentile(0.5)).isEqualTo(Duration.ofNanos(1));
    near(latencies.percentile(1), Duration.ofHours(1));
  }

  private static void near(Duration actual, Duration expected) {
    double ratio = (double) actual.toNanos() / expected.toNanos();
    assertThat(ratio).isBetween(1.0, 1.001);
  }
}
