package dev.colony.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.local.CommandConfig.UpSettings;
import dev.colony.cli.local.NodeSupervisor.NodeRestarts;
import dev.colony.cli.local.NodeSupervisor.NodeRestarts.Next;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How often, and after which pauses, a node that dies is started again. */
class NodeRestartsTest {

  private static final Duration WINDOW = NodeRestarts.WITHIN;

  private final NodeRestarts restarts = new NodeRestarts(new UpSettings(7));

  @Test
  void pausesDoubleUpToTheLongestAndThenItStaysAway() {
    long now = Long.MAX_VALUE - 2;
    assertThat(restarts.died(now)).isEqualTo(after(1, 1));
    assertThat(restarts.died(now + 1)).isEqualTo(after(2, 2));
    assertThat(restarts.died(now + 2)).isEqualTo(after(4, 3));
    assertThat(restarts.died(now + 3))
        .as("the clock's number has overflowed")
        .isEqualTo(after(8, 4));
    assertThat(restarts.died(now + 4)).isEqualTo(after(16, 5));
    assertThat(restarts.died(now + 5)).isEqualTo(after(30, 6));
    assertThat(restarts.died(now + 6)).isEqualTo(after(30, 7));
    assertThat(restarts.died(now + 7)).isEqualTo(new Next.Never());
  }

  @Test
  void whatIsLongAgoDoesNotCount() {
    for (int i = 0; i < 7; i++) {
      restarts.died(i);
    }
    long later = WINDOW.toNanos() + 2;
    assertThat(restarts.died(later)).as("two of them are").isEqualTo(after(30, 6));
    assertThat(restarts.died(later)).isEqualTo(after(30, 7));
    assertThat(restarts.died(later)).isEqualTo(new Next.Never());
    assertThat(restarts.died(later + 2 * WINDOW.toNanos())).isEqualTo(after(1, 1));
  }

  @Test
  void noneIsStartedAgainWhereThatIsSo() {
    assertThat(new NodeRestarts(new UpSettings(0)).died(1)).isEqualTo(new Next.Never());
  }

  private static Next after(int seconds, int number) {
    return new Next.After(Duration.ofSeconds(seconds), number);
  }
}
