package dev.colony.testkit;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.node.AgentListener.StepListener;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Runs many agents of scripted steps and measures them. The runs are named after the benchmark, so
 * that the same id after a crash goes on with the same runs: spawning and asking again change
 * nothing, and the agents themselves have gone on as soon as they were woken.
 */
public final class StepsBench {

  private static final int SPAWNED_AT_ONCE = 500;
  private static final String NAMESPACE = "bench";

  private final Colony colony;
  private final StepLatencies latencies;

  /**
   * @param colony of a runtime whose model is the {@link InstantModel}
   * @param latencies the same runtime's step listener, used for nothing else
   */
  public StepsBench(Colony colony, StepLatencies latencies) {
    this.colony = colony;
    this.latencies = latencies;
  }

  /**
   * What to run.
   *
   * @param id names the benchmark; one that was begun before is resumed and must have the same
   *     steps and payload
   * @param payloadBytes of each model reply
   */
  public record Load(String id, int agents, int steps, int payloadBytes) {}

  /** The names of a benchmark's agents. */
  public static List<AgentId> agents(Load load) {
    return IntStream.range(0, load.agents())
        .mapToObj(i -> new AgentId("bench", load.id(), "agent-" + i))
        .toList();
  }

  /** Runs the benchmark and waits for its end, for ever if need be. */
  public BenchReport run(Load load) {
    return run(load, () -> {});
  }

  /**
   * Runs the benchmark and waits for its end, for ever if need be.
   *
   * @param mark is run right before the first request and right behind the last answer, so that
   *     what this class does around them can be left out of a figure
   */
  public BenchReport run(Load load, Runnable mark) {
    AgentBlueprint blueprint =
        AgentBlueprint.of(
            Blueprint.bind(
                ScriptedSteps.class, new ScriptedSteps.Load(load.steps(), load.payloadBytes())),
            Blueprint.bind(ScriptedSteps.StepNotes.class));
    List<AgentHandle> agents = spawn(load, blueprint);
    long heapBefore = heapInUse();
    latencies.reset();
    mark.run();
    long start = System.nanoTime();
    List<CompletableFuture<AgentRun>> results = new ArrayList<>();
    for (AgentHandle agent : agents) {
      RunOptions options =
          RunOptions.namespace(NAMESPACE)
              .runId(new RunId(load.id() + "-" + agent.id().name()))
              .requestedBy("bench");
      results.add(
          agent.run(JsonNodeFactory.instance.objectNode(), options).result().toCompletableFuture());
    }
    List<AgentRun> ended = results.stream().map(CompletableFuture::join).toList();
    Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
    mark.run();
    long stepsHere = latencies.steps();
    results.clear();
    return new BenchReport(
        load.agents(),
        (int) ended.stream().filter(run -> run.status() == AgentRun.Status.COMPLETED).count(),
        ended.stream().mapToLong(StepsBench::steps).sum(),
        ended.stream().mapToLong(run -> run.output().path("noted").asLong()).sum(),
        stepsHere,
        elapsed,
        latencies.percentile(0.5),
        latencies.percentile(0.99),
        Math.max(0, heapInUse() - heapBefore) / load.agents());
  }

  private List<AgentHandle> spawn(Load load, AgentBlueprint blueprint) {
    List<AgentHandle> agents = new ArrayList<>();
    List<AgentId> ids = agents(load);
    for (int first = 0; first < ids.size(); first += SPAWNED_AT_ONCE) {
      List<CompletableFuture<AgentHandle>> batch = new ArrayList<>();
      for (AgentId agent : ids.subList(first, Math.min(first + SPAWNED_AT_ONCE, ids.size()))) {
        batch.add(colony.spawn(agent, blueprint).toCompletableFuture());
      }
      batch.forEach(spawned -> agents.add(spawned.join()));
    }
    return agents;
  }

  /** The last iteration of a run decides that it is done, which is no step of the load. */
  private static long steps(AgentRun run) {
    return Math.max(0, run.stats().steps() - 1);
  }

  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /**
   * Counts steps and keeps their latencies, exact to three digits; longer ones than an hour count
   * as an hour. Thread-safe.
   */
  public static final class StepLatencies implements StepListener {

    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;

    private final ConcurrentHistogram nanos = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);

    @Override
    public void stepCompleted(AgentId agent, Duration took) {
      nanos.recordValue(Math.clamp(took.toNanos(), 1, LONGEST_NANOS));
    }

    /** Forgets everything, for a measurement that begins now. */
    public void reset() {
      nanos.reset();
    }

    public long steps() {
      return nanos.getTotalCount();
    }

    /**
     * The latency that this part of the steps does not exceed; zero if there were none.
     *
     * @param part from 0 to 1
     */
    public Duration percentile(double part) {
      return Duration.ofNanos(nanos.getValueAtPercentile(part * 100));
    }
  }
}
