package dev.colony.bench.resume;

import dev.colony.agent.AgentId;
import dev.colony.node.StepListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When agents were to go on, and how long it took until that was durable and until their next step
 * was. Hears of all steps of its node; those of agents that are not awaited are only counted.
 * Thread-safe.
 */
final class ResumeTimes implements StepListener {

  private final Map<AgentId, Long> dueNanos = new ConcurrentHashMap<>();
  private final AtomicLong steps = new AtomicLong();
  private volatile Delays resumed = new Delays();
  private volatile Delays stepped = new Delays();
  private volatile CountDownLatch left = new CountDownLatch(0);

  /** A new round begins in which so many agents go on. */
  void begin(int agents) {
    resumed = new Delays();
    stepped = new Delays();
    left = new CountDownLatch(agents);
  }

  /**
   * To be called before the agent is told.
   *
   * @param nanos the instant from which its delay counts, as {@link System#nanoTime}
   */
  void due(AgentId agent, long nanos) {
    dueNanos.put(agent, nanos);
  }

  @Override
  public void resumed(AgentId agent) {
    Long due = dueNanos.get(agent);
    if (due != null) {
      resumed.add(System.nanoTime() - due);
    }
  }

  @Override
  public void stepCompleted(AgentId agent, Duration took) {
    steps.incrementAndGet();
    Long due = dueNanos.remove(agent);
    if (due != null) {
      stepped.add(System.nanoTime() - due);
      left.countDown();
    }
  }

  /** Whether all agents of the round have taken their next step in this time. */
  boolean await(Duration patience) throws InterruptedException {
    return left.await(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Steps of the node, ever. */
  long steps() {
    return steps.get();
  }

  /** From when they were told until it was durable that they run. */
  Delays untilResumed() {
    return resumed;
  }

  /** From when they were told until their next step was durable. */
  Delays untilStepped() {
    return stepped;
  }
}
