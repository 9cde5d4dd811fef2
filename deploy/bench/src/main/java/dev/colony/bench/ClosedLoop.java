package dev.colony.bench;

import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Clients that each have one call under way: the next begins when the last one is answered. */
public record ClosedLoop(int clients) {

  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** The call of a number, made by a client. */
  @FunctionalInterface
  public interface Call {
    CompletionStage<?> make(int client, int number);
  }

  /**
   * Makes calls and waits for their answers.
   *
   * @param first the number of the first one
   * @param end the number after the last one
   * @return how long it took, in seconds
   * @throws CommandFailure if it is not done in time; what a call fails with is thrown on
   */
  public double run(int first, int end, Call call) {
    AtomicInteger next = new AtomicInteger(first);
    long begun = System.nanoTime();
    await(
        CompletableFuture.allOf(
            IntStream.range(0, Math.min(clients, end - first))
                .mapToObj(client -> {
                  CompletableFuture<Void> done = new CompletableFuture<>();
                  goOn(client, call, next, end, done);
                  return done;
                })
                .toArray(CompletableFuture[]::new)),
        "the calls");
    return (System.nanoTime() - begun) / 1e9;
  }

  private void goOn(
      int client, Call call, AtomicInteger next, int end, CompletableFuture<Void> done) {
    int number = next.getAndIncrement();
    if (number >= end) {
      done.complete(null);
      return;
    }
    call.make(client, number)
        .whenComplete((answer, failure) -> {
          if (failure == null) {
            goOn(client, call, next, end, done);
          } else {
            done.completeExceptionally(failure);
          }
        });
  }

  /**
   * Waits for what is under way.
   *
   * @throws CommandFailure if it is not done after ten minutes
   */
  public static <T> T await(CompletableFuture<T> work, String what) {
    try {
      return work.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw CommandFailure.unsuccessful(
          "%s are not done after %d minutes".formatted(what, LONGEST.toMinutes()), late);
    } catch (ExecutionException failure) {
      throw new CompletionException(
          failure.getCause() instanceof CompletionException wrapped
              ? wrapped.getCause()
              : failure.getCause());
    } catch (InterruptedException interrupted) {
      throw interrupted(interrupted);
    }
  }

  /** What a bench whose thread was interrupted ends with; the thread stays so. */
  static CommandFailure interrupted(InterruptedException interrupted) {
    Thread.currentThread().interrupt();
    return new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
  }
}
