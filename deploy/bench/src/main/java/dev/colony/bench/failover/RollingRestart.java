package dev.colony.bench.failover;

import dev.colony.cli.local.RestartableNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends the nodes one after the other by SIGTERM and starts each again, while agents are asked at an
 * even rate, whether the earlier requests are answered or not. A request counts from when it was
 * due, so that a stall is seen by all that it delays.
 *
 * @param requests that were made
 * @param failed those that ended with anything but their answer
 * @param seconds that it took
 * @param millis of those that were answered, the shortest first
 */
record RollingRestart(int requests, int failed, double seconds, List<Double> millis) {

  RollingRestart {
    millis = millis.stream().sorted().toList();
  }

  /** Blocks until all nodes were restarted and all requests have ended. */
  static RollingRestart run(RestartableNodes nodes, Population population, int perSecond) {
    ConcurrentLinkedQueue<Double> latencies = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<CompletableFuture<?>> asked = new ConcurrentLinkedQueue<>();
    AtomicInteger failed = new AtomicInteger();
    AtomicInteger number = new AtomicInteger();
    long begun = System.nanoTime();
    long pause = TimeUnit.SECONDS.toNanos(1) / perSecond;
    try (ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
      clock.scheduleAtFixedRate(
          () -> {
            int next = number.getAndIncrement();
            long due = begun + next * pause;
            asked.add(
                Population.ask(population.agent(next))
                    .whenComplete((process, failure) -> {
                      if (failure == null) {
                        latencies.add((System.nanoTime() - due) / 1e6);
                      } else {
                        failed.incrementAndGet();
                      }
                    }));
          },
          0,
          pause,
          TimeUnit.NANOSECONDS);
      for (String node : nodes.names()) {
        nodes.terminate(node);
        nodes.process(node).onExit().join();
        nodes.restart(node);
        nodes.awaitReady(node);
      }
    }
    asked.forEach(one -> one.handle((process, failure) -> null).join());
    return new RollingRestart(
        number.get(), failed.get(), (System.nanoTime() - begun) / 1e9, new ArrayList<>(latencies));
  }

  /**
   * The latency that this part of the answers does not exceed; 0 if there were none.
   *
   * @param part from 0 to 1
   */
  double percentile(double part) {
    int rank = (int) Math.ceil(part * millis.size());
    return millis.isEmpty() ? 0 : millis.get(Math.max(0, rank - 1));
  }
}
