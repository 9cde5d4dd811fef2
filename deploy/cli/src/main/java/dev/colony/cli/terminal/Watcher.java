package dev.colony.cli.terminal;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.clock.Deadline;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Prints events as they come, one at a time, so that a slow reader holds up the subscription and
 * fills no memory.
 */
public final class Watcher implements BlackboardSubscriber {

  private final long most;
  private final Function<BlackboardEvent, String> form;
  private final PrintStream out;
  private final Consumer<Position> printed;
  private final Consumer<String> notice;
  private final CompletableFuture<Long> ended = new CompletableFuture<>();
  private volatile Flow.Subscription subscription;
  private volatile long count;

  /**
   * @param most how many events are printed
   * @param printed told the position of each event that stands in {@code out}
   * @param notice told what a person should know besides: that it begins, falls behind, has caught
   *     up
   */
  public Watcher(
      long most,
      Function<BlackboardEvent, String> form,
      PrintStream out,
      Consumer<Position> printed,
      Consumer<String> notice) {
    this.most = most;
    this.form = form;
    this.out = out;
    this.printed = printed;
    this.notice = notice;
  }

  /**
   * Completes with the number of printed events: when all are printed, {@code out} takes no more,
   * or it was stopped; fails as the subscription does.
   */
  public CompletableFuture<Long> ended() {
    return ended;
  }

  /** Prints no more; an event that is being printed is the last one. Waits for nothing. */
  public void stop() {
    ended.complete(count);
    Flow.Subscription begun = subscription;
    if (begun != null) {
      begun.cancel();
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription newSubscription) {
    subscription = newSubscription;
    notice.accept("watching; Ctrl-C ends it");
    subscription.request(1);
  }

  @Override
  public void onNext(BlackboardEvent event) {
    if (ended.isDone()) {
      return;
    }
    out.println(form.apply(event));
    if (out.checkError()) {
      stop();
      return;
    }
    count = count + 1;
    printed.accept(event.position());
    if (count == most) {
      stop();
    } else {
      subscription.request(1);
    }
  }

  @Override
  public void onBehind(Position last) {
    notice.accept("fell behind after %s; reading what was stored since".formatted(last));
  }

  @Override
  public void onCaughtUp() {
    notice.accept("caught up");
  }

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    stop();
  }

  /**
   * Acknowledges what has been dealt with: the newest position only, one call at a time, so that a
   * slow backend gets fewer calls and never a queue of them. Thread-safe.
   */
  public static final class Acknowledger {

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
}
