package dev.colony.core.dispatch;

import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Actions that do not behave. */
final class Trouble extends AgentCapability {

  final CountDownLatch interrupted = new CountDownLatch(1);
  final AtomicBoolean enough = new AtomicBoolean();
  final CountDownLatch begun = new CountDownLatch(1);

  volatile Thread worker;

  Trouble(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor
  String throwsIt() {
    throw new IllegalStateException("the disk is full");
  }

  @ActionExecutor(timeout = "200ms")
  String blocks() throws InterruptedException {
    try {
      TimeUnit.MINUTES.sleep(1);
      return "woke up";
    } catch (InterruptedException stopped) {
      interrupted.countDown();
      throw stopped;
    }
  }

  @ActionExecutor(timeout = "200ms")
  String ignoresInterrupts() {
    return untilEnough();
  }

  @ActionExecutor(timeout = "200ms", computing = true)
  String loops() {
    long sum = 0;
    while (!enough.get()) {
      sum += 1;
    }
    return "" + sum;
  }

  @ActionExecutor(timeout = "1h", computing = true)
  String computes() {
    begun.countDown();
    return untilEnough();
  }

  private String untilEnough() {
    boolean was = false;
    while (!enough.get()) {
      try {
        TimeUnit.MILLISECONDS.sleep(5);
      } catch (InterruptedException goesOn) {
        was = true;
      }
    }
    return "enough " + was;
  }

  @ActionExecutor
  int recurses(int depth) {
    return depth < 0 ? 0 : recurses(depth + 1) + 1;
  }

  @ActionExecutor(computing = true)
  int recursesComputing() {
    return recurses(0);
  }

  @ActionExecutor
  String lacksAClass() {
    throw new NoClassDefFoundError("gone/Away");
  }

  @ActionExecutor
  String returnsMuch() {
    return "x".repeat(50 * 1024 * 1024);
  }

  /** As JSON it never ends. */
  @ActionExecutor
  Iterable<Integer> returnsForEver() {
    return () ->
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Integer next() {
            return 1;
          }
        };
  }

  @ActionExecutor(timeout = "200ms")
  CompletionStage<String> neverCompletes() {
    return new CompletableFuture<>();
  }

  @ActionExecutor(timeout = "1h")
  String worksStepwise(ActionContext context) throws InterruptedException {
    worker = Thread.currentThread();
    while (!enough.get()) {
      context.pausePoint();
      begun.countDown();
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return "ended";
  }

  @ActionExecutor(timeout = "1h")
  String waitsLong() throws InterruptedException {
    begun.countDown();
    TimeUnit.HOURS.sleep(1);
    return "woke up";
  }
}
