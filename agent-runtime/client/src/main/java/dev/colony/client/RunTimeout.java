package dev.colony.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How long a caller waits for the end of a run, over either transport. */
public final class RunTimeout {

  private RunTimeout() {}

  /**
   * Fails the result when the time is over; the run goes on if its request is stored by then.
   *
   * @param found completes when it is known that the request is stored
   */
  public static void set(
      CompletableFuture<AgentRun> result,
      RunPlace place,
      CompletionStage<?> found,
      Duration longest) {
    CompletableFuture<?> stored = found.toCompletableFuture();
    CompletableFuture<Void> clock =
        new CompletableFuture<Void>()
            .completeOnTimeout(null, longest.toMillis(), TimeUnit.MILLISECONDS);
    clock.thenRun(() -> result.completeExceptionally(late(place, stored.isDone(), longest)));
    result.whenComplete((run, failure) -> clock.cancel(false));
  }

  private static AgentException late(RunPlace place, boolean stored, Duration longest) {
    return new AgentException(
        "run %s in %s has not ended within %s; %s"
            .formatted(
                place.runId(),
                place.where(),
                longest,
                stored
                    ? "it goes on: attach to it to come back"
                    : "its request is not known to be stored: ask again under the same run id or"
                        + " idempotency key"),
        new TimeoutException(),
        true);
  }
}
