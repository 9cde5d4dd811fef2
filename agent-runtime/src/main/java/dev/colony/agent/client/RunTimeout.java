package dev.colony.agent.client;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How long somebody waits for the end of a run, over whichever transport. */
public final class RunTimeout {

  private RunTimeout() {}

  /** Fails the result when the time is over; the run goes on. */
  public static void set(CompletableFuture<AgentRun> result, RunPlace place, Duration longest) {
    CompletableFuture<Void> clock =
        new CompletableFuture<Void>()
            .completeOnTimeout(null, longest.toMillis(), TimeUnit.MILLISECONDS);
    clock.thenRun(() -> result.completeExceptionally(late(place, longest)));
    result.whenComplete((run, failure) -> clock.cancel(false));
  }

  private static AgentException late(RunPlace place, Duration longest) {
    return new AgentException(
        "run %s in %s has not ended within %s; it goes on: attach to it to come back"
            .formatted(place.runId(), place.where(), longest),
        new TimeoutException(),
        true);
  }
}
