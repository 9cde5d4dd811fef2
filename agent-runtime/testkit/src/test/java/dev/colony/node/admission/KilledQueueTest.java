package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.node.resumption.BlackboardResumptions;
import dev.colony.node.resumption.CapacityQueue;
import dev.colony.node.resumption.ResumptionSettings;
import dev.colony.node.resumption.WaitOrder;
import java.io.BufferedReader;
import java.io.IOException;
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

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final Blackboards client =
      new RedisBlackboards(
          new RedisConnections(redis.uri(), Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS);
  private final List<Process> nodes = new ArrayList<>();
  private final StringBuffer said = new StringBuffer();

  @AfterEach
  void stop() {
    nodes.forEach(Process::destroyForcibly);
    client.close();
    redis.close();
  }

  @Test
  @Timeout(400)
  void nobodyIsLost() throws Exception {
    BlackboardColony colony =
        new BlackboardColony(
            client, HomeResolver.byHash(8), ClientSettings.fromConfig(LocalNode.config("")));
    String oldest = node(Optional.empty());
    node(Optional.of(oldest));
    node(Optional.of(oldest));
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
    nodes.getFirst().destroyForcibly().onExit().join();
    int before = waiting();
    for (RunHandle handle : runs) {
      AgentRun run = handle.result().toCompletableFuture().get(200, TimeUnit.SECONDS);
      assertThat(run.status()).as(said.toString()).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(run.output().asText().split(" ")).hasSize(STEPS);
    }
    assertThat(before).as("that waited durably when the node was killed").isPositive();
    await().atMost(Duration.ofSeconds(20)).until(() -> waiting() == 0);
  }

  private int waiting() {
    CapacityQueue queue =
        new BlackboardResumptions(
                client,
                ResumptionSettings.fromConfig(LocalNode.config("")),
                page -> false,
                WaitOrder.BY_AGE,
                InstantSource.system(),
                time -> {})
            .room();
    return Stream.of("t0", "t1", "t2")
        .mapToInt(tenant ->
            queue.waiting(tenant, AGENTS, Optional.empty()).toCompletableFuture().join().size())
        .sum();
  }

  private String node(Optional<String> seed) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                CrowdedNode.class.getName(),
                redis.uri()));
    seed.ifPresent(command::add);
    Process node = new ProcessBuilder(command).redirectErrorStream(true).start();
    nodes.add(node);
    BufferedReader lines = node.inputReader();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("up ")) {
        Thread.ofVirtual()
            .start(() -> lines.lines().forEach(rest -> said.append(rest).append('\n')));
        return line.substring(3);
      }
      said.append(line).append('\n');
    }
    throw new AssertionError("the process ended early and said:\n" + said);
  }
}
