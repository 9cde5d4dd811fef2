package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.vcm.store.InFlight;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten thousand requests at once to one agent, over a real Redis. */
@Tag("faults")
@Timeout(900)
class InboxLoadTest {

  private static final int REQUESTS = 10_000;
  private static final int AT_ONCE = 128;

  private static final RunOptions OPTIONS = RunOptions.namespace("test");

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final RedisConnections connections =
      new RedisConnections(redis.uri(), Duration.ofSeconds(60));
  private final Blackboards boards = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);

  private final TestTypes types = new TestTypes();
  private final LocalNode node =
      LocalNode.of(boards, types)
          .journal(redis.uri())
          .outstanding(() -> CompletableFuture.completedStage(Set.of()))
          .start();

  @AfterEach
  void stop() {
    node.close();
    boards.close();
    connections.close();
    redis.close();
  }

  @Test
  void allRequestsToOneAgentAreRunOnceAndKeepTheirKeys() {
    AgentHandle agent =
        join(node.colony().spawn(new AgentId("acme", "tests", "crowded"), TestTypes.BLUEPRINT));
    Function<Integer, RunOptions> keyed = i -> OPTIONS.idempotencyKey("order-" + i);
    List<Integer> numbers = IntStream.range(0, REQUESTS).boxed().toList();
    long begun = System.nanoTime();
    List<RunId> runs =
        join(
            InFlight.map(
                numbers,
                AT_ONCE,
                i -> {
                  var run = agent.run(TestTypes.input(1, "internal"), keyed.apply(i));
                  return run.stored().thenApply(stored -> run.runId());
                }));
    assertThat(Set.copyOf(runs)).hasSize(REQUESTS);
    await().atMost(Duration.ofMinutes(10)).until(() -> waits() == 0);
    List<AgentRun> ends =
        join(InFlight.map(runs, AT_ONCE, run -> agent.attach(run, OPTIONS).result()));
    assertThat(ends)
        .allSatisfy(end -> assertThat(end.status()).isEqualTo(AgentRun.Status.COMPLETED));
    System.out.printf(
        "%,d requests to one agent were run in %.1f s%n",
        REQUESTS, (System.nanoTime() - begun) / 1e9);
    List<AgentRun> again =
        join(
            InFlight.map(
                numbers,
                AT_ONCE,
                i -> agent.run(TestTypes.input(1, "internal"), keyed.apply(i)).result()));
    assertThat(again).isEqualTo(ends);
    assertThat(types.begun).hasSize(REQUESTS).doesNotHaveDuplicates();
    assertThat(join(boards.inbox().statistics()).deadLetters()).isZero();
  }

  private long waits() {
    return join(boards.inbox().statistics()).messages();
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }
}
