package dev.colony.node.activation;

import dev.colony.agent.author.Agent.WhileWaiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A piece of work that is under way on behalf of an agent and can be told to stop. Its identity
 * tells the answer that the agent waits for from one that comes too late. Thread-safe.
 */
public final class CancellationToken {

  /** Of no work. */
  public static final CancellationToken NONE = new CancellationToken();

  /** What the work has of its node and lets others have while it only waits for them. */
  public interface Lendable {

    void lend();

    void takeBack();
  }

  private boolean cancelled;
  private Optional<Lendable> permit = Optional.empty();
  private int waits;
  private final List<Runnable> onCancel = new ArrayList<>();

  /** Whether the agent has stopped waiting for the outcome; the work may go on until it notices. */
  public synchronized boolean cancelled() {
    return cancelled;
  }

  /**
   * Ends the caller's work if it is cancelled.
   *
   * @throws CancellationException if it is
   */
  void check() {
    if (cancelled()) {
      throw cancellation();
    }
  }

  /** What ends work that is cancelled. */
  CancellationException cancellation() {
    return new CancellationException("the work was cancelled: its agent no longer waits for it");
  }

  /**
   * What else to do when it is cancelled, at once if it is already, on the thread that cancels.
   *
   * @return takes it back, for what has ended before
   */
  Runnable onCancel(Runnable action) {
    synchronized (this) {
      if (!cancelled) {
        onCancel.add(action);
        return () -> forget(action);
      }
    }
    action.run();
    return () -> {};
  }

  /** From when on the work has a place; before it has begun. */
  public synchronized void holds(Lendable taken) {
    permit = Optional.of(taken);
  }

  /**
   * Lets others have the work's place until what is returned is closed; of several at a time, until
   * the last is.
   */
  WhileWaiting lendPermit() {
    synchronized (this) {
      waits++;
      if (waits == 1) {
        permit.ifPresent(Lendable::lend);
      }
    }
    return this::takeBack;
  }

  private synchronized void takeBack() {
    waits--;
    if (waits == 0) {
      permit.ifPresent(Lendable::takeBack);
    }
  }

  /**
   * Blocks until something on behalf of this work is complete; it is cancelled with the work, and
   * when the caller is interrupted.
   *
   * @throws CancellationException if it was
   * @throws ExecutionException if it failed
   */
  <T> T await(CompletableFuture<T> future) throws ExecutionException {
    Runnable forget = onCancel(() -> future.cancel(true));
    try {
      return future.get();
    } catch (InterruptedException interrupted) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    } finally {
      forget.run();
    }
  }

  public void cancel() {
    List<Runnable> actions;
    synchronized (this) {
      cancelled = true;
      actions = List.copyOf(onCancel);
      onCancel.clear();
    }
    actions.forEach(Runnable::run);
  }

  private synchronized void forget(Runnable action) {
    onCancel.remove(action);
  }
}
