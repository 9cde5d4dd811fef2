package dev.colony.bench.schedule;

import dev.colony.vcm.schedule.workingset.Orders;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The decisions of {@link DecisionWorld} as JMH samples them, by the clock: each invocation is one
 * decision, and what happens between two of a kind takes no part of the time.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DecisionSamples {

  @Param("64")
  int replicas;

  @Param("2000")
  int agents;

  @Param("50")
  int pages;

  @Param("600")
  int cachePages;

  @Param("20000")
  int warmup;

  private DecisionWorld world;
  private DecisionWorld.Decision next;
  private List<Orders> orders;

  /** Makes so many decisions that caches and estimates are as they stay. */
  @Setup(Level.Trial)
  public void warmUp() {
    world = new DecisionWorld(new DecisionLoad(replicas, agents, pages, cachePages, warmup, 1, 1));
    for (int i = 0; i < warmup; i++) {
      DecisionWorld.Decision decision = world.next();
      world.carryOut(decision, decision.call().get());
    }
  }

  private void seek(boolean arrival) {
    next = world.next();
    while (next.arrival() != arrival) {
      world.carryOut(next, next.call().get());
      next = world.next();
    }
  }

  /** What is carried out of a decision takes no part of its time. */
  @TearDown(Level.Invocation)
  public void carryOut() {
    world.carryOut(next, orders);
  }

  /** A request comes. */
  public static class Arrival extends DecisionSamples {

    @Setup(Level.Invocation)
    public void next() {
      super.seek(true);
    }

    @Benchmark
    public List<Orders> decide() {
      return super.decided();
    }
  }

  /** A turn ends, and those that wait are tried. */
  public static class End extends DecisionSamples {

    @Setup(Level.Invocation)
    public void next() {
      super.seek(false);
    }

    @Benchmark
    public List<Orders> decide() {
      return super.decided();
    }
  }

  private List<Orders> decided() {
    orders = next.call().get();
    return orders;
  }
}
