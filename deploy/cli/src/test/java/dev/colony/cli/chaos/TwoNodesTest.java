package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two nodes, neither of which is a majority: whichever is killed, the other goes on, and of two
 * that are cut apart exactly one does.
 */
@Tag("faults")
class TwoNodesTest {

  private static final int STEPS = 3;
  private static final double RATE = 8;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  /** Of the fault and of the return of the node, on a machine that has other work too. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  private static final String ENDS = "this node ends: ";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void eachIsKilledInTurnAndTheOtherGoesOn() {
    try (DeedServer world = new DeedServer();
        Network network = new Network(2);
        ChaosCluster cluster = new ChaosCluster(folder, network.addresses(), "node", "");
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      load.start(RATE);
      for (int victim : List.of(0, 1, 0)) {
        Awaitility.await().atMost(LONGEST).until(() -> load.allAnsweredAfter(0));
        String name = cluster.nodes().names().get(victim);
        ProcessHandle other = process(cluster, 1 - victim);
        cluster.nodes().kill(name);
        goesOn(load, name + " was killed");
        assertThat(other.isAlive()).as("the other lives").isTrue();
        comesBack(cluster, name);
      }
      ends(load, cluster, world);
    }
  }

  /**
   * Which of the connections are silent: those of both, or of one of them, which then hears and is
   * not heard.
   */
  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true"})
  void ofTwoThatAreCutApartExactlyOneGoesOn(boolean first, boolean second) {
    try (DeedServer world = new DeedServer();
        Network network = new Network(2);
        ChaosCluster cluster = new ChaosCluster(folder, network.addresses(), "node", "");
        Load load = new Load(cluster.colony(), STEPS, world.port())) {
      load.start(RATE);
      Awaitility.await().atMost(LONGEST).until(() -> load.allAnsweredAfter(0));
      if (first) {
        network.silence(0, 1);
      }
      if (second) {
        network.silence(1, 0);
      }
      goesOn(
          load,
          "the connections of %s were cut"
              .formatted(first ? second ? "both" : "node-1" : "node-2"));
      Awaitility.await().atMost(LONGEST).until(() -> living(cluster) < 2);
      network.heal();
      int ended = process(cluster, 0).isAlive() ? 1 : 0;
      String name = cluster.nodes().names().get(ended);
      String end =
          cluster.log(name).lines().filter(line -> line.contains(ENDS)).toList().toString();
      System.out.println(end);
      assertThat(end).containsOnlyOnce(ENDS).contains(" ERROR ");
      // One that still hears may be told that it was taken out before it decides by itself.
      assertThat(end)
          .containsAnyOf(
              "which has the lease",
              first && second ? "which has the lease" : "it was taken out of the cluster");
      comesBack(cluster, name);
      assertThat(living(cluster)).isEqualTo(2);
      ends(load, cluster, world);
    }
  }

  private static ProcessHandle process(ChaosCluster cluster, int node) {
    return cluster.nodes().process(cluster.nodes().names().get(node));
  }

  private static long living(ChaosCluster cluster) {
    return cluster.nodes().names().stream()
        .map(cluster.nodes()::process)
        .filter(ProcessHandle::isAlive)
        .count();
  }

  /** Until every agent has answered a request that was made after this call. */
  private static void goesOn(Load load, String after) {
    long begin = System.nanoTime();
    int before = load.asked();
    Awaitility.await().atMost(BOUND).until(() -> load.allAnsweredAfter(before));
    System.out.printf(
        Locale.ROOT,
        "%s: all agents have answered %.1f s later%n",
        after,
        (System.nanoTime() - begin) / 1e9);
  }

  private static void comesBack(ChaosCluster cluster, String name) {
    cluster.nodes().restart(name);
    cluster.nodes().awaitReady(name);
  }

  private static void ends(Load load, ChaosCluster cluster, DeedServer world) {
    load.stop();
    load.await(LONGEST);
    Verdict verdict = Verdict.of(load, cluster, world);
    System.out.println(verdict);
    assertThat(verdict.violations()).isEmpty();
  }
}
