package dev.colony.blackboard.fault;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A durable subscriber that acknowledges as it goes, and is cancelled and subscribed anew again and
 * again.
 */
final class DurableReader {

  /**
   * From a subscription to its end.
   *
   * @param acknowledged what was acknowledged when it began
   */
  record Life(Position acknowledged, List<BlackboardEvent> events) {}

  private static final String NAME = "durable";
  private static final int LONGEST_LIFE = 120;
  private static final int EVERY = 7;
  private static final int TRIES = 100;
  private static final long PAUSE_MILLIS = 20;

  private final Blackboard board;
  private final String endKey;
  private final Random random;
  private final List<Life> lives = new ArrayList<>();
  private final AtomicReference<Position> acknowledged = new AtomicReference<>(Position.BEGINNING);

  /**
   * @param endKey the key of the event with which it ends
   */
  DurableReader(Blackboard board, String endKey, long seed) {
    this.board = board;
    this.endKey = endKey;
    this.random = new Random(seed);
  }

  /**
   * Lives until the end comes; then gives all its lives but those that an outage ended at birth.
   */
  List<Life> run() throws Exception {
    while (true) {
      Life life = live(1 + random.nextInt(LONGEST_LIFE));
      if (!life.events().isEmpty()) {
        lives.add(life);
        if (isEnd(life.events().getLast())) {
          return List.copyOf(lives);
        }
      }
    }
  }

  private Life live(int length) throws Exception {
    Position from = acknowledged.get();
    CompletableFuture<Void> enough = new CompletableFuture<>();
    AtomicInteger left = new AtomicInteger(length);
    List<CompletableFuture<Void>> acknowledging = new ArrayList<>();
    Follower life =
        Follower.calling(event -> {
          if (event.position().ordinal() % EVERY == 0) {
            acknowledging.add(acknowledge(event.position(), TRIES).toCompletableFuture());
          }
          if (left.decrementAndGet() == 0 || isEnd(event)) {
            enough.complete(null);
          }
        });
    life.to(board.subscribe("*", new SubscribeFrom.Durable(NAME, SubscribeFrom.beginning())));
    try {
      CompletableFuture.anyOf(enough, life.end())
          .get(2 * Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      if (!life.events().isEmpty() || !passing(failed.getCause())) {
        throw new AssertionError("a durable subscriber after " + from + " failed", failed);
      }
    }
    life.cancel();
    CompletableFuture.allOf(acknowledging.toArray(CompletableFuture[]::new))
        .get(Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    return new Life(from, life.events());
  }

  /** Until it is known to be acknowledged. */
  private CompletionStage<Void> acknowledge(Position position, int tries) {
    return board
        .acknowledge(NAME, position)
        .thenAccept(done -> acknowledged.accumulateAndGet(position, DurableReader::later))
        .exceptionallyComposeAsync(
            failure ->
                tries > 0 && passing(failure.getCause())
                    ? acknowledge(position, tries - 1)
                    : CompletableFuture.failedStage(failure),
            CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
  }

  private static Position later(Position one, Position other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static boolean passing(Throwable failure) {
    return failure instanceof BlackboardException known && known.retryable();
  }

  private boolean isEnd(BlackboardEvent event) {
    return event.entryKey().orElse("").equals(endKey);
  }
}
