package dev.colony.deploy.bench.board;

import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Clients that each have one call under way: the next begins when the last one is answered.
 *
 * @param calls how many they make together
 */
record ClosedLoop(int clients, int calls) {

  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** The call of a number, made by a client. */
  @FunctionalInterface
  interface Call {
    CompletionStage<?> make(int client, int number);
  }

  /**
   * Makes the calls, numbered from 0, and waits for their answers.
   *
   * @return how long it took, in seconds
   * @throws CommandFailure if it is not done in time; what a call fails with is thrown on
   */
  double run(Call call) {
    AtomicInteger next = new AtomicInteger();
    long begun = System.nanoTime();
    await(
        CompletableFuture.allOf(
            IntStream.range(0, Math.min(clients, calls))
                .mapToObj(client -> {
                  CompletableFuture<Void> end = new CompletableFuture<>();
                  goOn(client, call, next, end);
                  return end;
                })
                .toArray(CompletableFuture[]::new)),
        "the writes");
    return (System.nanoTime() - begun) / 1e9;
  }

  private void goOn(int client, Call call, AtomicInteger next, CompletableFuture<Void> end) {
    int number = next.getAndIncrement();
    if (number >= calls) {
      end.complete(null);
      return;
    }
    call.make(client, number)
        .whenComplete((answer, failure) -> {
          if (failure == null) {
            goOn(client, call, next, end);
          } else {
            end.completeExceptionally(failure);
          }
        });
  }

  /**
   * Waits for what is under way.
   *
   * @throws CommandFailure if it is not done after ten minutes
   */
  static <T> T await(CompletableFuture<T> work, String what) {
    try {
      return work.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new CommandFailure(
          ExitCode.UNSUCCESSFUL,
          "%s are not done after %d minutes".formatted(what, LONGEST.toMinutes()),
          late);
    } catch (ExecutionException failure) {
      throw new CompletionException(
          failure.getCause() instanceof CompletionException wrapped
              ? wrapped.getCause()
              : failure.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }
}
