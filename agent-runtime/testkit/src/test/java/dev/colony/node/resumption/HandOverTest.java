package dev.colony.node.resumption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.testkit.BenchReport;
import dev.colony.testkit.ScriptedSteps;
import dev.colony.testkit.StepsBench;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node leaves in an orderly way while its agents are at work. Only they themselves wake them: the
 * waker of this test knows no agents.
 */
@Tag("faults")
class HandOverTest {

  private static final int AGENTS = 40;
  private static final int STEPS = 500;

  @TempDir Path directory;
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private RedisServerProcess redis;
  private LocalNode staying;

  @AfterEach
  void stop() {
    if (staying != null) {
      staying.close();
    }
    if (redis != null) {
      redis.stop();
    }
    boards.close();
  }

  @Test
  void agentsGoOnWhereTheirShardsGo() {
    redis = RedisServerProcess.ensure(ServerSettings.in(directory).withFsync(Fsync.NO));
    StepsBench.StepLatencies here = new StepsBench.StepLatencies();
    StepsBench.StepLatencies there = new StepsBench.StepLatencies();
    LocalNode leaving = node(Optional.empty(), there);
    Address seed = Cluster.get(leaving.system()).selfMember().address();
    staying = node(Optional.of(seed), here);
    await().atMost(Duration.ofSeconds(60)).until(() -> up(leaving) == 2 && up(staying) == 2);
    StepsBench bench = new StepsBench(staying.colony(), here);
    CompletableFuture<BenchReport> report =
        CompletableFuture.supplyAsync(
            () -> bench.run(new StepsBench.Load("moved", AGENTS, STEPS, 64)));
    await().atMost(Duration.ofSeconds(60)).until(() -> there.steps() > STEPS);
    leaving.close();
    BenchReport result = report.orTimeout(120, TimeUnit.SECONDS).join();
    assertThat(result.completedRuns()).isEqualTo(AGENTS);
    assertThat(result.stepsInResults()).isEqualTo(AGENTS * STEPS);
    assertThat(result.notedInResults()).isEqualTo(AGENTS * STEPS);
    assertThat(there.steps()).isLessThan(AGENTS * STEPS);
  }

  private LocalNode node(Optional<Address> seed, StepsBench.StepLatencies latencies) {
    return LocalNode.of(boards, new ScriptedSteps.BenchTypes())
        .journal(redis.uri())
        .outstanding(() -> CompletableFuture.completedStage(Set.of()))
        .joins(seed)
        .listener(latencies)
        .start();
  }

  private static long up(LocalNode node) {
    long members = 0;
    for (var member : Cluster.get(node.system()).state().getMembers()) {
      members += member.status().equals(MemberStatus.up()) ? 1 : 0;
    }
    return members;
  }
}
