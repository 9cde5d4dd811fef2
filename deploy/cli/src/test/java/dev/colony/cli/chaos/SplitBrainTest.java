package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

  /** The majority, unless it is starved of time: then the lease has gone to the node cut off. */
  private static boolean oneSideIsLeft(List<ProcessHandle> nodes, int host) {
    List<Boolean> others =
        nodes.stream()
            .filter(node -> node != nodes.get(host))
            .map(ProcessHandle::isAlive)
            .distinct()
            .toList();
    return others.equals(List.of(!nodes.get(host).isAlive()));
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
      Awaitility.await().atMost(LONGEST).until(() -> oneSideIsLeft(nodes, host));
      int before = load.asked();
      Awaitility.await().atMost(LONGEST).until(() -> load.answered() > before);
      assertThat(oneSideIsLeft(nodes, host)).as("the other side goes on").isTrue();

      network.heal();
      List<String> names = cluster.nodes().names();
      List<String> ended =
          names.stream().filter(name -> !nodes.get(names.indexOf(name)).isAlive()).toList();
      ended.forEach(cluster.nodes()::restart);
      ended.forEach(cluster.nodes()::awaitReady);
      load.stop();
      load.await(LONGEST);
      Verdict verdict = Verdict.of(load, cluster, world);
      System.out.printf(
          "split brain, %s was cut off, %s ended%n%s%n", names.get(host), ended, verdict);
      assertThat(verdict.violations()).isEmpty();
    }
  }
}
