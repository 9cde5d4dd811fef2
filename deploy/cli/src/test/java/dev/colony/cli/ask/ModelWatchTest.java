package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ask.Asking.ModelWatch;
import dev.colony.cli.local.Cluster.WaitingCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModelWatchTest {

  private final List<String> said = new ArrayList<>();
  private List<WaitingCalls> waiting = List.of();
  private final ModelWatch watch =
      new ModelWatch(() -> waiting, Duration.ofSeconds(15), Duration.ofMinutes(5), said::add);

  private void look(int seconds) {
    waiting =
        List.of(
            new WaitingCalls("http://gpu-1:8000/v1", 2, Duration.ofSeconds(seconds)),
            new WaitingCalls("http://gpu-1:8000/v1", 1, Duration.ofSeconds(1)));
    watch.look();
  }

  @Test
  void aSilentServerIsNamedWithWhatWaitsForIt() {
    look(14);
    assertThat(said).isEmpty();
    look(15);
    assertThat(said)
        .containsExactly(
            "waiting for http://gpu-1:8000/v1: no answer to 3 calls for 15 s, giving up after 300"
                + " s");
  }

  @Test
  void itIsSaidAgainAsTimePassesAndNotInBetween() {
    for (int seconds = 1; seconds <= 60; seconds++) {
      look(seconds);
    }
    assertThat(said).hasSize(4);
  }

  @Test
  void oneThatAnswersBeginsAnew() {
    look(20);
    look(2);
    look(16);
    waiting = List.of();
    watch.look();
    assertThat(said).hasSize(2);
  }
}
