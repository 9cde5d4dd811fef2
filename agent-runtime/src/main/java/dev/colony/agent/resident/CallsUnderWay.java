package dev.colony.agent.resident;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * The model calls of a node that are under way with what is journaled of them, so that the node can
 * leave when they have ended rather than cut them off, which would have them asked, and paid for, a
 * second time. Thread-safe.
 */
final class CallsUnderWay {

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private int count;
  private boolean closed;

  /**
   * Makes a call. Once no more are to begin it blocks instead until its work is cancelled, which
   * happens when the agent leaves: its next home makes the call.
   *
   * @throws CancellationException if it was
   */
  <T> T make(Running running, Supplier<T> call) {
    if (!begin()) {
      try {
        running.await(new CompletableFuture<Void>());
      } catch (ExecutionException never) {
        throw new IllegalStateException(never);
      }
    }
    try {
      return call.get();
    } finally {
      end();
    }
  }

  /** Begins no more; completes when those under way have ended. */
  synchronized CompletionStage<Void> close() {
    closed = true;
    if (count == 0) {
      ended.complete(null);
    }
    return ended.minimalCompletionStage();
  }

  /** How many are under way. */
  synchronized int count() {
    return count;
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
