package dev.colony.bench.schedule;

import dev.colony.vcm.schedule.workingset.Orders;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;

/**
 * How long the scheduler takes for a decision: each that {@link DecisionWorld} asks for is timed,
 * by the processor time of its thread and by the clock. What is carried out takes no part of the
 * time.
 */
public final class DecisionBenchmark {

  private DecisionBenchmark() {}

  /** Blocks until all decisions of the load are made and timed. */
  public static DecisionReport run(DecisionLoad load) {
    DecisionWorld world = new DecisionWorld(load);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    DecisionReport.Times arrivals = new DecisionReport.Times();
    DecisionReport.Times ends = new DecisionReport.Times();
    long waiting = 0;
    for (int decided = 1; decided <= load.warmup() + load.decisions(); decided++) {
      DecisionWorld.Decision decision = world.next();
      long began = System.nanoTime();
      long worked = threads.getCurrentThreadCpuTime();
      List<Orders> orders = decision.call().get();
      worked = threads.getCurrentThreadCpuTime() - worked;
      if (decided > load.warmup()) {
        (decision.arrival() ? arrivals : ends).record(worked, System.nanoTime() - began);
      }
      world.carryOut(decision, orders);
      waiting += decided > load.warmup() ? world.waiting() : 0;
    }
    return new DecisionReport(load, arrivals, ends, (double) waiting / load.decisions());
  }
}
