package dev.colony.cli.board;

import dev.colony.blackboard.Position;
import dev.colony.blackboard.clock.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Acknowledges what has been dealt with: the newest position only, one call at a time, so that a
 * slow backend gets fewer calls and never a queue of them. Thread-safe.
 */
public final class Acknowledger {

  private final Function<Position, CompletionStage<Void>> acknowledge;
  private Position done = Position.BEGINNING;
  private Position acknowledged = Position.BEGINNING;
  private boolean underWay;

  public Acknowledger(Function<Position, CompletionStage<Void>> acknowledge) {
    this.acknowledge = acknowledge;
  }

  /** What stands at this position and before it has been dealt with. */
  public synchronized void done(Position position) {
    done = position;
    send();
  }

  /**
   * Waits until all of it is acknowledged.
   *
   * @return false if it is not after this time; what was dealt with comes again next time
   */
  public synchronized boolean settle(Duration patience) {
    Deadline deadline = Deadline.in(patience);
    send();
    try {
      while (underWay) {
        long leftMillis = deadline.left().toMillis();
        if (leftMillis <= 0) {
          return false;
        }
        wait(leftMillis);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return acknowledged.equals(done);
  }

  private void send() {
    if (underWay || acknowledged.equals(done)) {
      return;
    }
    underWay = true;
    Position position = done;
    acknowledge.apply(position).whenComplete((answer, failure) -> answered(position, failure));
  }

  /** A call that failed is made up for by the next one, which says a later position. */
  private synchronized void answered(Position position, Throwable failure) {
    underWay = false;
    if (failure == null) {
      acknowledged = position;
      send();
    }
    notifyAll();
  }
}
