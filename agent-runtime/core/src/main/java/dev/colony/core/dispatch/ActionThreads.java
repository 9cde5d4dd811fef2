package dev.colony.core.dispatch;

import dev.colony.agent.action.ActionResult;
import dev.colony.core.dispatch.RunningAction.Stop;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads on which a node executes actions. One per node, shared by all agents; thread-safe.
 *
 * <p>An action that blocks has a virtual thread, of which there may be any number. One that
 * computes would keep a carrier thread from all others, so it has a platform thread, of which there
 * are few; further ones wait for their turn within their time.
 *
 * <p>Java cannot end a thread that does not want to. An action that does not end within the grace
 * after its interrupt is abandoned: its place is given to another thread, its result is void, and
 * it is counted until it ends. When as many are abandoned as may be, further actions of that kind
 * are refused rather than the node drowned.
 */
public final class ActionThreads {

  /** How often a wait looks at the clock while an action is paused. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A kind of threads and how many of them are lost. */
  private record Kind(String name, AtomicInteger abandoned, int maxAbandoned) {}

  private enum Life {
    RUNNING,
    ENDED,
    ABANDONED
  }

  private final DispatchSettings settings;
  private final Kind blocking;
  private final Kind computing;
  private final Semaphore places;
  private final AtomicInteger queued = new AtomicInteger();

  public ActionThreads(DispatchSettings settings) {
    this.settings = settings;
    this.blocking = new Kind("blocking", new AtomicInteger(), settings.bounds().abandoned());
    this.computing =
        new Kind("computing", new AtomicInteger(), settings.bounds().abandonedComputing());
    this.places = new Semaphore(settings.computing(), true);
  }

  public DispatchSettings settings() {
    return settings;
  }

  /** How many virtual threads do not end although their time is over. */
  public int abandonedBlocking() {
    return blocking.abandoned().get();
  }

  /** The same of the platform threads. */
  public int abandonedComputing() {
    return computing.abandoned().get();
  }

  /** How many actions wait for a platform thread. */
  public int computingQueued() {
    return queued.get();
  }

  /**
   * Executes code on a thread of its own until it ends or the action is stopped, which it is when
   * its time is over. Blocks.
   *
   * @throws InterruptedException if the caller is interrupted; the action is stopped then
   * @throws Error that the code threw and that is not the code's own fault
   */
  Ending run(RunningAction action, boolean computes, Callable<Ending.Returned> code)
      throws InterruptedException {
    Kind kind = computes ? computing : blocking;
    if (kind.abandoned().get() >= kind.maxAbandoned()) {
      return new Ending.Refused(
          "this node executes no "
              + kind.name()
              + " actions: "
              + kind.abandoned()
              + " of them do not end although their time is over");
    }
    return computes ? inPlace(action, code) : start(action, kind, code);
  }

  private Ending inPlace(RunningAction action, Callable<Ending.Returned> code)
      throws InterruptedException {
    if (!places.tryAcquire()) {
      if (queued.incrementAndGet() > settings.bounds().queue()) {
        queued.decrementAndGet();
        return new Ending.Refused("as many computing actions wait on this node as may");
      }
      try {
        while (!places.tryAcquire(TICK_NANOS, TimeUnit.NANOSECONDS)) {
          if (action.leftNanos() <= 0) {
            action.stop(Stop.TIMED_OUT);
          }
          if (action.stopped().isDone()) {
            return new Ending.Stopped(action.stopped().join());
          }
        }
      } finally {
        queued.decrementAndGet();
      }
    }
    return start(action, computing, code);
  }

  private Ending start(RunningAction action, Kind kind, Callable<Ending.Returned> code)
      throws InterruptedException {
    CompletableFuture<Ending> ending = new CompletableFuture<>();
    Slot slot = new Slot(kind);
    Thread.Builder threads = kind == computing ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
    Thread thread =
        threads
            .name("action-" + action.actionId())
            .unstarted(
                LogNames.here()
                    .on(() -> {
                      try {
                        ending.complete(attempt(code));
                      } catch (Error fatal) {
                        ending.completeExceptionally(fatal);
                        throw fatal;
                      } finally {
                        slot.end();
                      }
                    }));
    try {
      thread.start();
    } catch (Error none) {
      slot.end();
      throw none;
    }
    try {
      return await(action, thread, ending);
    } catch (InterruptedException stopped) {
      action.stop(Stop.LEFT);
      thread.interrupt();
      throw stopped;
    } finally {
      if (!ending.isDone()) {
        slot.abandon();
      }
    }
  }

  private static Ending attempt(Callable<Ending.Returned> code) {
    try {
      return code.call();
    } catch (StackOverflowError failure) {
      return new Ending.Threw(failure);
    } catch (VirtualMachineError broken) {
      throw broken;
    } catch (Throwable failure) {
      return new Ending.Threw(failure);
    }
  }

  private Ending await(RunningAction action, Thread thread, CompletableFuture<Ending> ending)
      throws InterruptedException {
    // Most actions end in their first turn on a processor: then no wait has to be begun, which
    // with its timer costs more than they do.
    Thread.yield();
    if (ending.isDone() && !stopped(action)) {
      return ended(ending);
    }
    CompletableFuture<Object> either = CompletableFuture.anyOf(ending, action.stopped());
    boolean listening = false;
    while (!either.isDone()) {
      long left = action.leftNanos();
      if (left <= 0) {
        action.stop(Stop.TIMED_OUT);
        break;
      }
      long untilListening = settings.bounds().controlAfter().minus(action.age()).toNanos();
      if (!listening && untilListening <= 0) {
        action.listen();
        listening = true;
      }
      long wait = listening ? left : Math.min(left, untilListening);
      await(either, Math.max(wait, TICK_NANOS));
    }
    if (!ending.isDone()) {
      thread.interrupt();
      await(ending, settings.bounds().grace().toNanos());
    }
    // What has come to its end in spite of all is known, and better than what is not.
    return ending.isDone() && !(stopped(action) && ended(ending) instanceof Ending.Threw)
        ? ended(ending)
        : new Ending.Stopped(action.stopped().join());
  }

  private static boolean stopped(RunningAction action) {
    return action.stopped().isDone();
  }

  private static Ending ended(CompletableFuture<Ending> ending) throws InterruptedException {
    try {
      return ending.get();
    } catch (ExecutionException fatal) {
      throw (Error) fatal.getCause();
    }
  }

  private static void await(CompletableFuture<?> future, long nanos) throws InterruptedException {
    try {
      future.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException looksAgain) {
      return;
    }
  }

  /** The place of one thread: given back once, by the thread or in its stead. */
  private final class Slot {

    private final Kind kind;
    private Life life = Life.RUNNING;

    Slot(Kind kind) {
      this.kind = kind;
    }

    synchronized void end() {
      if (life == Life.ABANDONED) {
        kind.abandoned().decrementAndGet();
      } else {
        release();
      }
      life = Life.ENDED;
    }

    synchronized void abandon() {
      if (life == Life.RUNNING) {
        life = Life.ABANDONED;
        kind.abandoned().incrementAndGet();
        release();
      }
    }

    private void release() {
      if (kind == computing) {
        places.release();
      }
    }
  }

  /** How one attempt at an action has ended. */
  sealed interface Ending {

    /**
     * It has returned.
     *
     * @param bytes of the output as JSON text
     */
    record Returned(ActionResult result, int bytes) implements Ending {}

    record Threw(Throwable failure) implements Ending {}

    /** It was stopped; whether its code has noticed is another question. */
    record Stopped(Stop why) implements Ending {}

    /** It was not begun; the reason is one line for the planner. */
    record Refused(String reason) implements Ending {}
  }
}
