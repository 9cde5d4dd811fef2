package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Redis comes back without its last second while agents pay. What the nodes remember is given back;
 * the runs whose requests are gone are asked for again by their callers.
 */
@Tag("faults")
class RolledBackTest {

  private static final int STEPS = 6;
  private static final double RUNS_PER_SECOND = 3;
  private static final int BEFORE = 20;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void nothingIsPaidTwiceAndEveryRunEnds() throws InterruptedException {
    try (DeedServer world = new DeedServer();
        ChaosCluster cluster = ChaosCluster.direct(folder);
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      load.start(RUNS_PER_SECOND);
      await().atMost(LONGEST).until(() -> load.answered() > BEFORE);
      long length = cluster.redisFile();
      TimeUnit.SECONDS.sleep(1);
      cluster.rollBackRedis(length);
      Set<String> lost = cluster.restoreAll(LONGEST);
      int then = load.answered();
      await().atMost(LONGEST).until(() -> load.answered() > then + BEFORE);
      load.stop();
      assertThat(load.await(LONGEST)).as("all that were asked for have ended").isTrue();
      Verdict verdict = Verdict.of(load, cluster, world);
      System.out.printf("%d agents had lost events: %s%n%s%n", lost.size(), lost, verdict);
      assertThat(lost).as("named").isNotEmpty();
      assertThat(verdict.violations()).isEmpty();
      assertThat(cluster.nodes().names())
          .extracting(cluster::log)
          .anyMatch(log -> log.contains("has gone back to an older state"));
    }
  }
}
