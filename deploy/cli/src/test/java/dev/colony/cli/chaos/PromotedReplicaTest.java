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

/** A replica that had not got the master's last writes is promoted while agents pay. */
@Tag("faults")
class PromotedReplicaTest {

  private static final int STEPS = 6;
  private static final double RUNS_PER_SECOND = 3;
  private static final int BEFORE = 20;
  private static final int BEHIND_SECONDS = 2;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void nothingIsLostWhereReplicasAreWaitedFor() throws InterruptedException {
    try (ChaosCluster cluster = ChaosCluster.replicated(folder, 1)) {
      assertThat(promoteWhileAgentsPay(cluster)).as("lost").isEmpty();
      cluster
          .nodes()
          .names()
          .forEach(node -> assertThat(cluster.log(node)).doesNotContain("lacks event"));
    }
  }

  @Test
  void whatIsLostOtherwiseIsNamedAndRestored() throws InterruptedException {
    try (ChaosCluster cluster = ChaosCluster.replicated(folder, 0)) {
      Set<String> lost = promoteWhileAgentsPay(cluster);
      System.out.printf("%d agents had lost events: %s%n", lost.size(), lost);
      assertThat(lost).as("lost, and restored").isNotEmpty();
    }
  }

  private static Set<String> promoteWhileAgentsPay(ChaosCluster cluster)
      throws InterruptedException {
    try (DeedServer world = new DeedServer();
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      load.start(RUNS_PER_SECOND);
      await().atMost(LONGEST).until(() -> load.answered() > BEFORE);
      cluster.keepReplicaBehind();
      TimeUnit.SECONDS.sleep(BEHIND_SECONDS);
      cluster.promoteReplica();
      Set<String> lost = cluster.restoreAll(LONGEST);
      int then = load.answered();
      await().atMost(LONGEST).until(() -> load.answered() > then + BEFORE);
      load.stop();
      assertThat(load.await(LONGEST)).as("all that were asked for have ended").isTrue();
      Verdict verdict = Verdict.of(load, cluster, world);
      System.out.println(verdict);
      assertThat(verdict.violations()).isEmpty();
      return lost;
    }
  }
}
