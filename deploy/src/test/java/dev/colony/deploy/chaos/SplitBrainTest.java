package dev.colony.deploy.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * One node of three is cut off from the others while all of them reach Redis: it goes down by
 * itself, the others take its agents over, and no journal has two writers at a time.
 */
@Tag("faults")
class SplitBrainTest {

  private static final int STEPS = 6;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void theOldestNodeIsCutOff() {
    cutOff(0);
  }

  @Test
  void aYoungerNodeIsCutOff() {
    cutOff(2);
  }

  private void cutOff(int host) {
    try (DeedServer world = new DeedServer();
        Network network = new Network();
        ChaosCluster cluster = new ChaosCluster(folder, network.addresses());
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      load.start(4);
      Awaitility.await().atMost(LONGEST).until(() -> load.answered() > 12);
      List<ProcessHandle> nodes =
          cluster.nodes().names().stream().map(cluster.nodes()::process).toList();

      network.isolate(host);
      nodes.get(host).onExit().orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS).join();
      int before = load.asked();
      Awaitility.await().atMost(LONGEST).until(() -> load.answered() > before);
      assertThat(nodes).filteredOn(ProcessHandle::isAlive).hasSize(2);

      network.heal();
      String name = cluster.nodes().names().get(host);
      cluster.nodes().restart(name);
      cluster.nodes().awaitReady(name);
      load.stop();
      load.await(LONGEST);
      Verdict verdict = Verdict.of(load, cluster, world);
      System.out.println("split brain, " + name + " was cut off\n" + verdict);
      assertThat(verdict.violations()).isEmpty();
    }
  }
}
