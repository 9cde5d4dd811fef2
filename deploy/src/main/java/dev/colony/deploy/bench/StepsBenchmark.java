package dev.colony.deploy.bench;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.bench.BenchReport;
import dev.colony.agent.bench.FakeModel;
import dev.colony.agent.bench.StepLatencies;
import dev.colony.agent.bench.StepsBench;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.deploy.Started;
import dev.colony.deploy.local.LoopbackPorts;
import dev.colony.deploy.node.Node;
import dev.colony.deploy.node.NodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Durable steps per second: the agents, the journal and the sharding of a node, with a scripted
 * policy and a model that answers at once, on a Redis server of the benchmark's own.
 */
public final class StepsBenchmark {

  private static final int WARM_UP_ROUNDS = 3;

  private final Path directory;
  private final Config config;

  /**
   * @param directory holds the server's data; the same one resumes a benchmark
   */
  public StepsBenchmark(Path directory, Config config) {
    this.directory = directory;
    this.config = config;
  }

  /** Blocks until every agent has done all its steps. */
  public StepsReport run(String runId, StepsLoad load, boolean resumed) {
    try (Started started = new Started()) {
      RedisServerProcess redis =
          RedisServerProcess.ensure(
              ServerSettings.fromConfig(config, directory).withFsync(load.fsync()));
      started.add(redis::stop);
      StepLatencies latencies = new StepLatencies();
      Node node =
          started.add(
              Node.start(
                  options(redis), keepingAllEvents(), Optional.of(new FakeModel()), latencies));
      StepsBench bench = new StepsBench(node.colony(), latencies);
      StepsBench.Load steps =
          new StepsBench.Load(runId, load.agents(), load.steps(), load.payloadBytes());
      if (!resumed) {
        bench.warmUp(steps, WARM_UP_ROUNDS);
      }
      long before = storedBytes(redis.uri());
      BenchReport measured = bench.run(steps);
      JournaledSteps journaled =
          JournaledSteps.count(node.journal(), StepsBench.agents(steps), load.steps());
      long bytesPerStep = (storedBytes(redis.uri()) - before) / Math.max(1, measured.stepsHere());
      Ceiling ceiling =
          Ceiling.measure(redis.uri(), redis.port(), load, (int) Math.max(1, bytesPerStep / 2));
      return new StepsReport(runId, load, measured, journaled, bytesPerStep, ceiling);
    }
  }

  /** Snapshots delete the events before them; here every step shall be there to be counted. */
  private Config keepingAllEvents() {
    return ConfigFactory.parseString("colony.agent.snapshot-every = 100000").withFallback(config);
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
