package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One agent's actor on a real cluster node, whose journal can be made to fail. */
class AgentEntityTest {

  private static final InMemoryBlackboards BOARDS = new InMemoryBlackboards();
  private static final TestTypes TYPES = new TestTypes();
  private static LocalNode node;
  private static PersistenceTestKit journal;

  private final AgentId id = new AgentId("acme", "tests", "a-" + UUID.randomUUID());

  @BeforeAll
  static void start() {
    node = LocalNode.start(BOARDS, TYPES);
    journal = PersistenceTestKit.create(node.system());
  }

  @AfterAll
  static void stop() {
    node.close();
    BOARDS.close();
  }

  @Test
  void aRunIsJournaledTwiceAStepAndItsResultIsPublished() {
    AgentRun run = result(spawn().run(TestTypes.input(2, "internal"), options("r1")));
    assertThat(run.status()).isEqualTo(Status.COMPLETED);
    assertThat(run.output().asText()).isEqualTo("a0=SUCCEEDED a1=SUCCEEDED");
    assertThat(run.stats().steps()).isEqualTo(3);
    assertThat(run.stats().modelCalls()).isEqualTo(2);
    await()
        .untilAsserted(() ->
            assertThat(events())
                .containsExactly(
                    "Spawned",
                    "Claimed",
                    "Transitioned",
                    "RunAccepted",
                    "ModelAnswered",
                    "StepCompleted",
                    "ModelAnswered",
                    "StepCompleted",
                    "StepCompleted",
                    "RunCompleted",
                    "ResultPublished"));
  }

  @Test
  void aCallOfARunWhoseTokensAreBoundedIsJournaledWhenItBegins() {
    AgentBlueprint bounded = TestTypes.BLUEPRINT.budget(RunBudget.OF_NODE.tokens(Long.MAX_VALUE));
    AgentHandle agent = node.colony().spawn(id, bounded).toCompletableFuture().join();
    AgentRun run = result(agent.run(TestTypes.input(1, "internal"), options("r1")));
    assertThat(run.stats().modelCalls()).isEqualTo(1);
    assertThat(events()).containsSubsequence("ModelAsked", "ModelAnswered", "StepCompleted");
  }

  @Test
  void theSameRunAskedForTwiceIsOneRun() {
    AgentHandle agent = spawn();
    RunHandle first = agent.run(TestTypes.input(1, "internal"), options("r1"));
    RunHandle second = agent.run(TestTypes.input(1, "internal"), options("r1"));
    assertThat(result(first)).isEqualTo(result(second));
    assertThat(result(agent.run(TestTypes.input(1, "internal"), options("r1"))))
        .isEqualTo(result(first));
    assertThat(events()).filteredOn("RunAccepted"::equals).hasSize(1);
  }

  @Test
  void anExternalActionIsIntendedBeforeItStarts() {
    result(spawn().run(TestTypes.input(1, "once"), options("r1")));
    assertThat(events())
        .containsSubsequence("ModelAnswered", "ActionIntended", "StepCompleted", "RunCompleted");
  }

  @Test
  void anActionNobodyOffersIsAFailureThatThePolicySees() {
    AgentRun run = result(spawn().run(TestTypes.input(1, "unknown"), options("r1")));
    assertThat(run.output().asText())
        .isEqualTo("a0=REFUSEDthe agent has no action test.work.unknown");
  }

  @Test
  void aJournalThatFailsIsWrittenAgainAndNoStepIsLostOrDoubled() throws Exception {
    AgentHandle agent = spawn();
    CountDownLatch latch = TYPES.hold("a0");
    RunHandle run = agent.run(TestTypes.input(1, "internal"), options("r-" + id.name()));
    String key = TYPES.begun.poll(10, TimeUnit.SECONDS);
    journal.failNextNPersisted(
        id.persistenceId(), 2, new IllegalStateException("the disk is full"));
    latch.countDown();
    assertThat(result(run).output().asText()).isEqualTo("a0=SUCCEEDED");
    assertThat(TYPES.begun.poll(10, TimeUnit.SECONDS)).isEqualTo(key);
    assertThat(events()).filteredOn("StepCompleted"::equals).hasSize(2);
  }

  @Test
  void whoWasTakenOverStopsAndWritesNoMore() throws Exception {
    AgentHandle agent = spawn();
    CountDownLatch latch = TYPES.hold("a0");
    agent.run(TestTypes.input(1, "internal"), options("r1"));
    assertThat(TYPES.begun.poll(10, TimeUnit.SECONDS)).contains(id.name());
    journal.persistForRecovery(
        id.persistenceId(), List.of(new AgentEvent.Claimed(7, "elsewhere", Instant.now())));
    journal.failNextPersisted(id.persistenceId(), new IllegalStateException("fenced"));
    latch.countDown();
    await().until(() -> !node.holds(id));
    assertThat(events()).last().isEqualTo("Claimed");
  }

  private AgentHandle spawn() {
    TYPES.begun.clear();
    TYPES.releaseAll();
    return node.colony().spawn(id, TestTypes.BLUEPRINT).toCompletableFuture().join();
  }

  private List<String> events() {
    return journal.persistedInStorage(id.persistenceId()).stream()
        .map(event -> event.getClass().getSimpleName())
        .toList();
  }

  private static RunOptions options(String runId) {
    return RunOptions.namespace("test").runId(new RunId(runId));
  }

  private static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
