package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes and Redis fail in an order drawn from a seed while agents work: what is promised about
 * runs, actions and journals holds. {@code -Dchaos.seed} repeats an order, {@code -Dchaos.seconds}
 * sets the length, in which each kind of fault happens once at least.
 */
class ChaosTest {

  private static final int STEPS = 6;
  private static final double RUNS_PER_SECOND = 3;
  private static final Duration ALL_ENDED_WITHIN = Duration.ofMinutes(3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  @Tag("faults")
  void whatIsPromisedHoldsForTenMinutes() {
    Duration length = Duration.ofSeconds(Long.getLong("chaos.seconds", 600));
    long seed = Long.getLong("chaos.seed", System.nanoTime());
    System.out.println("chaos seed " + seed);
    try (DeedServer world = new DeedServer();
        ChaosCluster cluster = ChaosCluster.direct(folder);
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      Havoc havoc = new Havoc(cluster);
      load.start(RUNS_PER_SECOND);
      CompletableFuture.allOf(
              havoc.run(
                  Schedule.ofNodes(seed, ChaosCluster.NODES, ChaosCluster.REMOVED_AFTER),
                  Schedule.OF_NODES.size(),
                  length),
              havoc.run(Schedule.ofRedis(seed), Schedule.OF_REDIS.size(), length))
          .join();
      load.stop();
      load.await(ALL_ENDED_WITHIN);
      Verdict verdict = Verdict.of(load, cluster, world);
      System.out.printf(
          "chaos seed %d, %s%n%d requests, %d made again, lost events of %d agents restored%n%s%n",
          seed, havoc.done(), load.asked(), load.repeated(), havoc.restored().size(), verdict);
      assertThat(verdict.violations()).as("seed " + seed).isEmpty();
      assertThat(havoc.complaints()).as("seed " + seed).isEmpty();
    }
  }
}
