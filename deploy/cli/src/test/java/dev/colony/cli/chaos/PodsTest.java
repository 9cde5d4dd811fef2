package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes that find each other by the API server of Kubernetes, and a lease of it for when they part.
 */
class PodsTest {

  private static final Duration LONGEST = Duration.ofMinutes(3);
  private static final String LEASE = "colony-sbr";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void twoFindEachOther() {
    try (Network network = new Network();
        Pods pods = new Pods(folder, network.addresses().subList(0, 2), 2)) {
      awaitOneCluster(pods, network, 0, 1);
    }
  }

  @Test
  @Tag("faults")
  void threeSurviveTheDeathOfOneAndTakeAnotherIn() {
    try (Network network = new Network();
        Pods pods = new Pods(folder, network.addresses(), 3)) {
      awaitOneCluster(pods, network, 0, 1, 2);
      pods.lose(0);
      awaitOneCluster(pods, network, 1, 2);
      assertThat(pods.api().ownerOf(LEASE)).as("who decided").isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  @Tag("faults")
  void ofTwoSidesTheOneWithTheLeaseGoesOn(int alone) {
    try (Network network = new Network();
        Pods pods = new Pods(folder, network.addresses(), 2)) {
      awaitOneCluster(pods, network, 0, 1, 2);

      network.isolate(alone);
      pods.process(alone).onExit().orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS).join();
      int[] others = IntStream.range(0, 3).filter(pod -> pod != alone).toArray();
      awaitOneCluster(pods, network, others);
      assertThat(pods.process(others[0]).isAlive()).isTrue();
      assertThat(pods.process(others[1]).isAlive()).isTrue();
      assertThat(pods.api().ownerOf(LEASE))
          .containsAnyOf(
              network.addresses().get(others[0]).host(), network.addresses().get(others[1]).host());

      network.heal();
      pods.restart(alone);
      awaitOneCluster(pods, network, 0, 1, 2);
    }
  }

  /** Until these are ready and each knows these and no other. */
  private void awaitOneCluster(Pods pods, Network network, int... members) {
    List<Integer> all = IntStream.of(members).boxed().toList();
    Set<String> hosts = new TreeSet<>();
    all.forEach(pod -> hosts.add(network.addresses().get(pod).host()));
    Awaitility.await()
        .atMost(LONGEST)
        .failFast("one has ended", () -> all.stream().anyMatch(pod -> !pods.process(pod).isAlive()))
        .untilAsserted(() -> {
          for (int pod : all) {
            assertThat(pods.members(pod)).as(() -> pods.log(pod)).isEqualTo(hosts);
            assertThat(pods.ready(pod)).isTrue();
          }
        });
  }
}
