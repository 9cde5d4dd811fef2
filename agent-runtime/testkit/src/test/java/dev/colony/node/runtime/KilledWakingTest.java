package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client writes and asks; the node on which that reaches the agent dies at each point. */
@Tag("faults")
class KilledWakingTest {

  private static final AgentId ID = new AgentId("acme", "killed", "listener");
  private static final Scope SCOPE = Scope.colony("acme", "killed");

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final Blackboards client =
      new RedisBlackboards(
          new RedisConnections(redis.uri(), Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS);
  private final DyingNodes nodes = new DyingNodes(redis);

  @AfterEach
  void stop() {
    nodes.close();
    client.close();
    redis.close();
  }

  @Test
  @Timeout(300)
  void everyWriteIsHandledOnceAndInOrderAndEveryRequestIsExecuted() throws Exception {
    BlackboardColony colony =
        new BlackboardColony(
            client,
            HomeResolver.byHash(8),
            Settings.read(ClientSettings.class, LocalNode.config("")));
    colony.spawn(ID, TestTypes.hearing(SCOPE)).toCompletableFuture().join();
    List<Position> written = new ArrayList<>();
    List<RunHandle> runs = new ArrayList<>();
    for (DyingNode.Death death : EnumSet.complementOf(DyingNode.Death.ofEvaluators())) {
      Process node = nodes.start(death);
      runs.add(
          colony
              .agent(ID)
              .run(
                  TestTypes.input(1, "internal"),
                  RunOptions.namespace("test").runId(new RunId(death.name()))));
      for (int i = 0; i == 0 || death != DyingNode.Death.NEVER && i < 300; i++) {
        written.add(write("alarm:" + death + ":" + i));
        if (node.waitFor(200, TimeUnit.MILLISECONDS)) {
          break;
        }
      }
      if (death != DyingNode.Death.NEVER) {
        assertThat(node.isAlive()).as("%s after\n%s", death, nodes.said()).isFalse();
        assertThat(node.exitValue()).isEqualTo(DyingNode.DEAD);
      }
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> handled().size() >= written.size());
    assertThat(handled()).isEqualTo(written);
    for (RunHandle handle : runs) {
      AgentRun run = handle.result().toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("a0=SUCCEEDED");
    }
  }

  private Position write(String key) {
    WriteResult result =
        client.open(SCOPE, "client").write(Write.value(key, 1)).toCompletableFuture().join();
    return ((WriteResult.Written) result).position();
  }

  /** The writes in the results on the blackboard, in the order in which those were written. */
  private List<Position> handled() {
    return client
        .open(ID.scope().namespace(EventBatch.NAMESPACE), "client")
        .query(Query.keys("result:run:*"))
        .toCompletableFuture()
        .join()
        .entries()
        .stream()
        .sorted(Comparator.comparing(Entry::position))
        .map(entry -> AgentRun.fromJson(entry.value()))
        .flatMap(run ->
            EventBatch.of(
                new RunRequest(
                    ExecutionContext.of(ID, run.runId()),
                    EventBatch.NAMESPACE,
                    run.output(),
                    "test",
                    Instant.EPOCH))
                .stream())
        .flatMap(batch -> batch.events().stream())
        .map(EventBatch.Event::position)
        .toList();
  }
}
