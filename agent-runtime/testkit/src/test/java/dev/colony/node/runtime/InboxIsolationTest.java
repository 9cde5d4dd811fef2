package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.DeadLetter;
import dev.colony.node.NodeBounds;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One bucket: what cannot be delivered, or has to wait, holds up no other agent. */
class InboxIsolationTest {

  private static final AgentId SILENT = new AgentId("poison", "tests", "silent");
  private static final RunOptions TEST = RunOptions.namespace("test");

  private static final NodeBounds PATIENT =
      Bounds.inbox(Duration.ofMinutes(5), Duration.ofHours(1), 128);

  private final TestTypes types = new TestTypes();
  private final InMemoryBlackboards boards = boards(BlackboardSettings.DEFAULTS.inbox());
  private LocalNode node;
  private PersistenceTestKit journal;

  private static InMemoryBlackboards boards(BlackboardSettings.Inbox inbox) {
    return new InMemoryBlackboards(
        BlackboardSettings.DEFAULTS.withBuckets(1).withInbox(inbox), Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    node.close();
    boards.close();
  }

  private void start(InMemoryBlackboards over, NodeBounds bounds) {
    start(over, "", bounds);
  }

  private void start(InMemoryBlackboards over, String settings, NodeBounds bounds) {
    node = LocalNode.of(over, types).settings(settings).bounds(bounds).start();
    journal = PersistenceTestKit.create(node.system());
  }

  private void silence() {
    journal.failNextNPersisted(
        SILENT.persistenceId(), 1_000_000, new IllegalStateException("no disk"));
  }

  @Test
  void anAgentThatDoesNotAnswerHoldsUpNoneThatComesBehindIt() {
    start(boards, Bounds.inbox(Duration.ofMinutes(5), Duration.ofHours(1), 4));
    silence();
    RunHandle unanswered = ask(spawn(SILENT), "r1");
    othersAreAnswered(SILENT.tenant(), 20);
    assertThat(unanswered.result().toCompletableFuture()).isNotDone();
  }

  @Test
  void undeliverableRequestsOfOneTenantHoldUpNoAgentOfAnotherAlsoAfterARestart() {
    start(boards, PATIENT);
    silence();
    AgentHandle silent = spawn(SILENT);
    for (int i = 0; i < 200; i++) {
      ask(silent, "p" + i).stored().toCompletableFuture().join();
    }
    node.close();

    start(boards, PATIENT);
    silence();
    othersAreAnswered("acme", 64);
  }

  @Test
  void whatCannotBeDeliveredBecomesADeadLetterAndItsKeyMayBeUsedAgain() {
    start(
        boards,
        "colony.agent.inbox.max-deliveries = 3",
        Bounds.inbox(
            Duration.ofMillis(100),
            Duration.ofMillis(300),
            2,
            128,
            new NodeBounds.Pauses(Duration.ofMillis(10), Duration.ofMillis(20))));
    AgentHandle silent = spawn(SILENT);
    await().until(() -> pending() == 0);
    silence();
    RunOptions keyed = TEST.idempotencyKey("order-42");
    AgentRun run = result(silent.run(TestTypes.input(1, "internal"), keyed));
    assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
    assertThat(run.refused()).isTrue();
    assertThat(run.error().orElseThrow()).contains("became a dead letter", "3 deliveries");
    await().until(() -> pending() == 0);
    assertThat(dead())
        .singleElement()
        .satisfies(letter -> {
          assertThat(letter.deliveries()).isEqualTo(3);
          assertThat(letter.request().recipient()).isEqualTo(SILENT.persistenceId());
          assertThat(letter.first()).isBeforeOrEqualTo(letter.last());
        });

    journal.resetPolicy();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            result(silent.run(TestTypes.input(1, "internal"), keyed)).status()
                == AgentRun.Status.COMPLETED);
    assertThat(silent.run(TestTypes.input(1, "internal"), keyed).runId()).isEqualTo(run.runId());
  }

  @Test
  void aRefusedRunDoesNotSpendItsKeyAndOneThatRanDoes() {
    start(boards, Bounds.QUICK);
    AgentId stopped = new AgentId("acme", "tests", "stopped");
    AgentHandle agent = spawn(stopped);
    agent.stop("enough").toCompletableFuture().join();
    RunOptions keyed = TEST.idempotencyKey("k");
    AgentRun refused = result(agent.run(TestTypes.input(1, "internal"), keyed));
    assertThat(refused.refused()).isTrue();
    assertThat(result(agent.run(TestTypes.input(1, "internal"), keyed)).error().orElseThrow())
        .contains("STOPPED");
    AgentHandle other = spawn(new AgentId("acme", "tests", "other"));
    AgentRun ran = result(other.run(TestTypes.input(1, "internal"), keyed));
    assertThat(ran.refused()).isFalse();
    assertThat(result(other.run(TestTypes.input(1, "internal"), keyed))).isEqualTo(ran);
  }

  @Test
  void whatAnAgentHasNoRoomForWaitsAndRunsInItsOrder() {
    // the test journal would read all of an agent's events again for each one that is added
    start(
        boards,
        """
        colony.agent.max-queued-runs = 4
        pekko.persistence.testkit.events.serialize = off
        """,
        Bounds.QUICK);
    AgentHandle agent = spawn(new AgentId("acme", "tests", "busy"));
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      RunHandle run = ask(agent, "r" + i);
      run.stored().toCompletableFuture().join();
      runs.add(run);
    }
    complete(runs);
    await().until(() -> pending() == 0);
    assertThat(dead()).isEmpty();
  }

  @Test
  void beyondWhatMayWaitNothingIsStored() {
    InMemoryBlackboards small =
        boards(new BlackboardSettings.Inbox(2, 100, 100, 10, Duration.ofDays(1)));
    start(small, PATIENT);
    AgentHandle silent = spawn(SILENT);
    await().until(() -> pending(small) == 0);
    silence();
    for (int i = 0; i < 2; i++) {
      ask(silent, "p" + i).stored().toCompletableFuture().join();
    }
    RunOptions keyed = TEST.idempotencyKey("k").giveUp(Duration.ZERO);
    RunHandle refused = silent.run(TestTypes.input(1, "internal"), keyed);
    assertThatThrownBy(() -> refused.stored().toCompletableFuture().join())
        .cause()
        .isInstanceOfSatisfying(
            BlackboardException.class,
            full -> {
              assertThat(full.full()).isTrue();
              assertThat(full.retryable()).isTrue();
            });
    assertThat(silent.ended(refused.runId(), TEST).toCompletableFuture().join()).isEmpty();
    assertThat(pending(small)).isEqualTo(2);
    small.close();
  }

  private void othersAreAnswered(String tenant, int agents) {
    complete(
        IntStream.range(0, agents)
            .mapToObj(i -> ask(spawn(new AgentId(tenant, "tests", "a" + i)), "r1"))
            .toList());
  }

  private static void complete(List<RunHandle> runs) {
    for (RunHandle run : runs) {
      assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED);
    }
  }

  private AgentHandle spawn(AgentId id) {
    return node.colony().spawn(id, TestTypes.BLUEPRINT).toCompletableFuture().join();
  }

  private static RunHandle ask(AgentHandle agent, String run) {
    return agent.run(TestTypes.input(1, "internal"), TEST.runId(new RunId(run)));
  }

  private static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  private long pending() {
    return pending(boards);
  }

  private static long pending(InMemoryBlackboards over) {
    return over.inbox().statistics().toCompletableFuture().join().messages();
  }

  private List<DeadLetter> dead() {
    return boards
        .inbox()
        .deadLetters(0, Optional.empty(), 100)
        .toCompletableFuture()
        .join()
        .stream()
        .filter(letter -> letter.request().key().startsWith("request:run:"))
        .toList();
  }
}
