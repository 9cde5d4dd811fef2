package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.ClusterNodes;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.node.NodeBounds;
import dev.colony.node.resumption.BlackboardResumptions;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three nodes have capacity for a few of many agents, and the one with the admission scheduler on
 * it is killed: all that wait, in its memory and durably, come to run.
 */
@Tag("faults")
class KilledQueueTest {

  private static final int AGENTS = 60;
  private static final int STEPS = 150;

  private final ClusterNodes nodes = new ClusterNodes(CrowdedNode.class, 3, (node, line) -> {});

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  @Timeout(400)
  void nobodyIsLost() throws Exception {
    Colony colony = nodes.colony();
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < AGENTS; i++) {
      AgentHandle agent =
          colony
              .spawn(new AgentId("t" + i % 3, "crowd", "a" + i), TestTypes.BLUEPRINT)
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      runs.add(
          agent.run(
              TestTypes.input(STEPS, "internal"),
              RunOptions.namespace("test").runId(new RunId("r1"))));
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> waiting() > AGENTS / 4);
    nodes.kill(0);
    int before = waiting();
    for (RunHandle handle : runs) {
      AgentRun run = handle.result().toCompletableFuture().get(200, TimeUnit.SECONDS);
      assertThat(run.status()).as(nodes.said()).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(run.output().asText().split(" ")).hasSize(STEPS);
    }
    assertThat(before).as("that waited durably when the node was killed").isPositive();
    await().atMost(Duration.ofSeconds(20)).until(() -> waiting() == 0);
  }

  private int waiting() {
    CapacityQueue queue =
        new BlackboardResumptions(
                nodes.blackboards(),
                NodeBounds.USUAL.resumption(),
                Duration.ofMinutes(1),
                page -> false,
                CapacityQueue.WaitOrder.BY_AGE,
                InstantSource.system(),
                time -> {})
            .room();
    return Stream.of("t0", "t1", "t2")
        .mapToInt(tenant ->
            queue.waiting(tenant, AGENTS, Optional.empty()).toCompletableFuture().join().size())
        .sum();
  }
}
