package dev.colony.node.runtime;

import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.testkit.BenchReport;
import dev.colony.testkit.ScriptedSteps;
import dev.colony.testkit.StepsBench;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process of its own that runs a benchmark on a Redis that outlives it. Says "steps N" as it goes
 * and at its end "report" with completed runs, steps and notes in the results, and steps of its
 * own. Arguments: Redis URI, id, agents, steps, payload bytes, warm-up rounds.
 */
final class BenchNode {

  private BenchNode() {}

  public static void main(String[] args) {
    StepsBench.StepLatencies latencies = new StepsBench.StepLatencies();
    RedisConnections redis = new RedisConnections(args[0], Duration.ofSeconds(20));
    RedisBlackboards boards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS);
    LocalNode node =
        LocalNode.of(boards, new ScriptedSteps.BenchTypes())
            .journal(args[0])
            .listener(latencies)
            .start();
    var load =
        new StepsBench.Load(
            args[1],
            Integer.parseInt(args[2]),
            Integer.parseInt(args[3]),
            Integer.parseInt(args[4]));
    StepsBench bench = new StepsBench(node.colony(), latencies);
    for (int round = Integer.parseInt(args[5]); round > 0; round--) {
      bench.run(
          new StepsBench.Load(
              load.id() + "-warm-up-" + round, load.agents(), load.steps(), load.payloadBytes()));
    }
    tell(latencies);
    BenchReport report = bench.run(load);
    System.out.printf(
        "report %d %d %d %d%n",
        report.completedRuns(),
        report.stepsInResults(),
        report.notedInResults(),
        report.stepsHere());
    System.out.printf("%s, %.0f steps a second%n", report, report.stepsPerSecond());
    System.exit(0);
  }

  private static void tell(StepsBench.StepLatencies latencies) {
    CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)
        .execute(() -> {
          System.out.println("steps " + latencies.steps());
          tell(latencies);
        });
  }
}
