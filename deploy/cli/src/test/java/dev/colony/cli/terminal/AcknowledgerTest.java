package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Position;
import dev.colony.cli.terminal.Watcher.Acknowledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One call at a time, and the newest position in the end. */
class AcknowledgerTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final List<Position> asked = new ArrayList<>();
  private final List<CompletableFuture<Void>> answers = new ArrayList<>();
  private final Acknowledger acknowledger =
      new Acknowledger(position -> {
        asked.add(position);
        CompletableFuture<Void> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
      });

  @Test
  void whatIsDoneWhileACallIsUnderWayGoesWithTheNextOne() {
    acknowledger.done(at(1));
    acknowledger.done(at(2));
    acknowledger.done(at(3));
    assertThat(asked).containsExactly(at(1));

    answers.getFirst().complete(null);
    assertThat(asked).containsExactly(at(1), at(3));

    answers.getLast().complete(null);
    assertThat(asked).containsExactly(at(1), at(3));
    assertThat(acknowledger.settle(LONG)).isTrue();
  }

  @Test
  void nothingDoneIsNothingToSettle() {
    assertThat(acknowledger.settle(LONG)).isTrue();
    assertThat(asked).isEmpty();
  }

  @Test
  void aCallThatFailedIsMadeUpForByTheNext() {
    acknowledger.done(at(1));
    answers.getFirst().completeExceptionally(new IllegalStateException("away"));
    acknowledger.done(at(2));
    assertThat(asked).containsExactly(at(1), at(2));
  }

  @Test
  void aCallThatFailedIsMadeAgainAtTheEnd() {
    acknowledger.done(at(1));
    answers.getFirst().completeExceptionally(new IllegalStateException("away"));
    assertThat(acknowledger.settle(Duration.ZERO)).as("no answer yet").isFalse();
    assertThat(asked).containsExactly(at(1), at(1));
    answers.getLast().complete(null);
    assertThat(acknowledger.settle(LONG)).isTrue();
  }

  private static Position at(long ordinal) {
    return new Position(1_000, ordinal);
  }
}
