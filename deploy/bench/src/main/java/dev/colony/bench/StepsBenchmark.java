package dev.colony.bench;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.server.Started;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.testkit.load.BenchReport;
import dev.colony.testkit.load.InstantModel;
import dev.colony.testkit.load.StepLatencies;
import dev.colony.testkit.load.StepsBench;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * Durable steps per second: the agents, the journal and the sharding of a node, with a scripted
 * policy and a model that answers at once, on a Redis server of the benchmark's own.
 */
public final class StepsBenchmark {

  private static final int WARM_UP_STEPS = 100;
  private static final int WARM_UP_PAYLOAD = 64;
  private static final long LOOK_NANOS = 2_000_000;

  private final Path directory;
  private final Config config;

  /**
   * @param directory holds the server's data; the same one resumes a benchmark
   */
  public StepsBenchmark(Path directory, Config config) {
    this.directory = directory;
    this.config = config;
  }

  /**
   * Blocks until every agent has done all its steps in every round, each followed by a measurement
   * of what it is held against.
   */
  public StepsReport run(String runId, StepsLoad load, boolean resumed) {
    try (Started started = new Started()) {
      Rig rig = rig(started, load);
      StepsReport.WarmUp warmUp = resumed ? StepsReport.WarmUp.NONE : rig.warmUp(runId, load);
      List<StepsReport.Round> rounds = new ArrayList<>();
      for (int round = 1; round <= (resumed ? 1 : load.rounds()); round++) {
        rounds.add(rig.measure(round == 1 ? runId : runId + "-" + round, load));
      }
      return new StepsReport(runId, load, warmUp, rounds);
    }
  }

  /** Blocks until every agent has done all its steps, in one run of each. */
  public HistoryReport history(String runId, StepsLoad load) {
    try (Started started = new Started()) {
      Rig rig = rig(started, load);
      StepsReport.WarmUp warmUp = rig.warmUp(runId, load.steps(WARM_UP_STEPS));
      return new HistoryReport(runId, load, warmUp, rig.history(runId, load));
    }
  }

  private Rig rig(Started started, StepsLoad load) {
    RedisServerProcess redis =
        RedisServerProcess.ensure(
            ServerSettings.fromConfig(config, directory).withoutPassword().withFsync(load.fsync()));
    started.add(redis::stop);
    StepLatencies latencies = new StepLatencies();
    Node node =
        started.add(
            Node.start(
                options(redis), unbounded(load), Optional.of(new InstantModel()), latencies));
    return new Rig(redis, node, latencies, new StepsBench(node.colony(), latencies));
  }

  /** What runs. */
  private record Rig(
      RedisServerProcess redis, Node node, StepLatencies latencies, StepsBench bench) {

    /** Small replies, since none of it is measured and all of it is kept until the end. */
    StepsReport.WarmUp warmUp(String runId, StepsLoad load) {
      Quiet quiet = new Quiet();
      for (int round = 1; round <= load.warmUpRounds(); round++) {
        CpuTime before = CpuTime.used(redis.uri());
        BenchReport ran =
            bench.run(
                new StepsBench.Load(
                    runId + "-warm-up-" + round,
                    load.agents(),
                    load.steps(),
                    Math.min(load.payloadBytes(), WARM_UP_PAYLOAD)));
        if (quiet.after(CpuTime.used(redis.uri()).perStep(before, ran.stepsHere()))) {
          return new StepsReport.WarmUp(round, true);
        }
      }
      return new StepsReport.WarmUp(load.warmUpRounds(), false);
    }

    StepsReport.Round measure(String id, StepsLoad load) {
      StepsBench.Load steps =
          new StepsBench.Load(id, load.agents(), load.steps(), load.payloadBytes());
      long stored = storedBytes(redis.uri());
      CpuTime before = CpuTime.used(redis.uri());
      BenchReport measured = bench.run(steps);
      CpuTime cpu = CpuTime.used(redis.uri()).perStep(before, measured.stepsHere());
      long bytesPerStep = (storedBytes(redis.uri()) - stored) / Math.max(1, measured.stepsHere());
      JournaledSteps journaled =
          JournaledSteps.count(node.journal(), StepsBench.agents(steps), load.steps());
      Ceiling ceiling =
          Ceiling.measure(redis.uri(), redis.port(), load, (int) Math.max(1, bytesPerStep / 2));
      return new StepsReport.Round(measured, cpu, journaled, bytesPerStep, ceiling);
    }

    /** Looks at the steps that are done so far, again and again, until the next mark is passed. */
    List<HistoryReport.Stretch> history(String runId, StepsLoad load) {
      // Those of the warm-up would be taken for steps of this run until it begins.
      latencies.reset();
      CompletableFuture<BenchReport> running =
          CompletableFuture.supplyAsync(() ->
              bench.run(
                  new StepsBench.Load(runId, load.agents(), load.steps(), load.payloadBytes())));
      List<HistoryReport.Stretch> stretches = new ArrayList<>();
      long from = 0;
      CpuTime before = null;
      for (int mark : HistoryReport.marks(load.steps())) {
        long done = awaitSteps((long) mark * load.agents(), running);
        CpuTime now = CpuTime.used(redis.uri());
        if (before != null) {
          stretches.add(
              new HistoryReport.Stretch(
                  (int) (from / load.agents()),
                  (int) (done / load.agents()),
                  now.perStep(before, done - from)));
        }
        from = done;
        before = now;
      }
      running.join();
      return stretches;
    }

    private long awaitSteps(long wanted, CompletableFuture<BenchReport> running) {
      while (latencies.steps() < wanted && !running.isDone()) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
      return latencies.steps();
    }
  }

  /**
   * A run of many steps may take more of them than is usual, and is to have them all before it;
   * what a small number of snapshots would let go of shall be there to be counted.
   */
  private Config unbounded(StepsLoad load) {
    return ConfigFactory.parseString(
            "colony.agent.run.usual.iterations = "
                + (load.steps() + 1_000)
                + "\ncolony.agent.history.keep = all")
        .withFallback(config);
  }

  private static NodeOptions options(RedisServerProcess redis) {
    int port = LoopbackPorts.free(1).getFirst();
    return NodeOptions.alone("bench", port, redis.uri(), Optional.empty(), Optional.empty());
  }

  private static long storedBytes(String redisUri) {
    try (RedisConnections redis = new RedisConnections(redisUri, Duration.ofSeconds(10))) {
      String info = redis.commands().info("memory").toCompletableFuture().join();
      return info.lines()
          .filter(line -> line.startsWith("used_memory_dataset:"))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
          .findFirst()
          .orElseThrow();
    }
  }
}
