package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** One event at a time, and no more than asked for. */
class WatcherTest {

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final List<Position> acknowledged = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private final Asked asked = new Asked();

  /** What a subscriber has asked of its subscription. */
  private static final class Asked implements Flow.Subscription {

    private long events;
    private boolean cancelled;

    @Override
    public void request(long more) {
      events += more;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  @Test
  void eachEventIsAskedForWhenTheLastOneIsPrinted() {
    Watcher watcher = watcher(Long.MAX_VALUE, printed);
    watcher.onSubscribe(asked);
    for (int i = 1; i <= 3; i++) {
      assertThat(asked.events).isEqualTo(i);
      watcher.onNext(event(i));
    }
    assertThat(lines()).containsExactly("1-1", "1-2", "1-3");
    assertThat(acknowledged).containsExactly(at(1), at(2), at(3));
    assertThat(watcher.ended()).isNotDone();
  }

  @Test
  void itEndsWithTheLastOneThatIsWanted() {
    Watcher watcher = watcher(2, printed);
    watcher.onSubscribe(asked);
    watcher.onNext(event(1));
    assertThat(watcher.ended()).isNotDone();
    watcher.onNext(event(2));
    watcher.onNext(event(3));
    assertThat(watcher.ended()).isCompletedWithValue(2L);
    assertThat(lines()).containsExactly("1-1", "1-2");
    assertThat(asked.events).isEqualTo(2);
    assertThat(asked.cancelled).isTrue();
  }

  @Test
  void nothingIsPrintedWhenItWasStopped() {
    Watcher watcher = watcher(5, printed);
    watcher.stop();
    watcher.onSubscribe(asked);
    watcher.onNext(event(1));
    assertThat(lines()).isEmpty();
    assertThat(acknowledged).isEmpty();
    assertThat(watcher.ended()).isCompletedWithValue(0L);
  }

  @Test
  void whatNobodyReadsIsNotAcknowledged() {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("broken pipe");
          }
        };
    Watcher watcher = watcher(5, closed);
    watcher.onSubscribe(asked);
    watcher.onNext(event(1));
    assertThat(acknowledged).isEmpty();
    assertThat(asked.cancelled).isTrue();
    assertThat(watcher.ended()).isCompletedWithValue(0L);
  }

  @Test
  void aPersonIsToldHowItGoes() {
    Watcher watcher = watcher(5, printed);
    watcher.onSubscribe(asked);
    watcher.onBehind(at(7));
    watcher.onCaughtUp();
    assertThat(notices).hasSize(3);
    assertThat(notices.get(1)).contains("fell behind", "1-7");
    assertThat(notices.get(2)).contains("caught up");
  }

  @Test
  void itFailsAsTheSubscriptionDoes() {
    Watcher watcher = watcher(5, printed);
    watcher.onSubscribe(asked);
    watcher.onError(new BlackboardException(BlackboardException.Reason.EVENTS_LOST, "gone"));
    assertThatThrownBy(() -> watcher.ended().join()).hasCauseInstanceOf(BlackboardException.class);
  }

  private Watcher watcher(long most, OutputStream out) {
    return new Watcher(
        most,
        event -> event.position().toString(),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        acknowledged::add,
        notices::add);
  }

  private List<String> lines() {
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static BlackboardEvent event(long ordinal) {
    return new BlackboardEvent.Written(
        Scope.tenant("t"),
        "key",
        at(ordinal),
        Instant.EPOCH,
        "writer",
        IntNode.valueOf(1),
        ordinal - 1,
        ordinal,
        Set.of());
  }

  private static Position at(long ordinal) {
    return new Position(1, ordinal);
  }
}
