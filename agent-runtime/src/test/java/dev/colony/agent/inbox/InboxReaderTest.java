package dev.colony.agent.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.bench.FakeModel;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.Test;

/** One bucket, many agents, one of which does not answer. */
class InboxReaderTest {

  @Test
  void anAgentThatDoesNotAnswerDelaysNobodyElse() {
    InMemoryBlackboards boards =
        new InMemoryBlackboards(BlackboardSettings.DEFAULTS.withBuckets(1), Clock.systemUTC());
    TestTypes types = new TestTypes();
    ActorTestKit kit =
        ActorTestKit.create(
            LocalNode.config(
                """
                colony.agent.inbox { batch = 4, accept-timeout = 5m, sweep = 1h }
                """));
    try (LocalNode node =
        new LocalNode(
            kit,
            boards,
            new FakeModel(),
            types,
            () -> CompletableFuture.completedStage(Set.of()),
            (agent, took) -> {})) {
      AgentId silent = new AgentId("acme", "tests", "silent");
      PersistenceTestKit.create(kit.system())
          .failNextNPersisted(
              silent.persistenceId(), 1_000_000, new IllegalStateException("no disk"));
      RunHandle unanswered = run(node, silent);
      List<RunHandle> runs = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        runs.add(run(node, new AgentId("acme", "tests", "a" + i)));
      }
      for (RunHandle run : runs) {
        AgentRun ended = run.result().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(ended.status()).isEqualTo(AgentRun.Status.COMPLETED);
      }
      assertThat(unanswered.result().toCompletableFuture()).isNotDone();
    }
    boards.close();
  }

  private static RunHandle run(LocalNode node, AgentId id) {
    return node.colony()
        .spawn(id, TestTypes.BLUEPRINT)
        .toCompletableFuture()
        .join()
        .run(TestTypes.input(1, "internal"), RunOptions.namespace("test").runId(new RunId("r1")));
  }
}
