package dev.colony.node.activation;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The model calls of a node that are under way with what is journaled of them, so that the node can
 * leave when they have ended rather than cut them off, which would have them asked, and paid for, a
 * second time. Thread-safe.
 */
final class InFlightModelCalls {

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private int count;
  private boolean closed;
  private boolean cut;

  /**
   * Makes a call. Once no more are to begin, and where one has failed after those under way were
   * cut off, it blocks instead until its work is cancelled, which happens when the agent leaves:
   * its next home makes the call, and what failed because the node ends is no failure of the run.
   *
   * @throws CancellationException if it was
   */
  <T> T make(CancellationToken token, Supplier<T> call) {
    if (begin()) {
      try {
        return call.get();
      } catch (RuntimeException failed) {
        if (!cutOff()) {
          throw failed;
        }
      } finally {
        end();
      }
    }
    try {
      return token.await(new CompletableFuture<T>());
    } catch (ExecutionException never) {
      throw new IllegalStateException(never);
    }
  }

  /**
   * Begins no more; completes when those under way have ended, or after a time with how many have
   * not.
   */
  CompletionStage<Integer> close(Duration longest) {
    synchronized (this) {
      closed = true;
      if (count == 0) {
        ended.complete(null);
      }
    }
    return ended
        .copy()
        .orTimeout(longest.toNanos(), TimeUnit.NANOSECONDS)
        .handle((done, late) -> cutRest());
  }

  private synchronized int cutRest() {
    cut = true;
    return count;
  }

  private synchronized boolean cutOff() {
    return cut;
  }

  private synchronized boolean begin() {
    if (!closed) {
      count++;
    }
    return !closed;
  }

  private synchronized void end() {
    count--;
    if (closed && count == 0) {
      ended.complete(null);
    }
  }
}
