package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunRequest;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** From a caller's request to its result: inbox, directory, sharding, waker, client. */
class AgentRuntimeTest {

  private static final TroubledBlackboards TROUBLE =
      new TroubledBlackboards(new InMemoryBlackboards());
  private static final Blackboards BOARDS = TROUBLE.boards();
  private static final TestTypes TYPES = new TestTypes();
  private static final Set<String> OUTSTANDING = ConcurrentHashMap.newKeySet();
  private static LocalNode node;

  private final AgentId id = new AgentId("acme", "tests", "a-" + UUID.randomUUID());

  @BeforeAll
  static void start() {
    node =
        LocalNode.of(BOARDS, TYPES)
            .settings("colony.agent.max-queued-runs = 3")
            .outstanding(() -> CompletableFuture.completedStage(Set.copyOf(OUTSTANDING)))
            .start();
  }

  @AfterAll
  static void stop() {
    node.close();
    BOARDS.close();
  }

  @AfterEach
  void release() {
    TYPES.releaseAll();
  }

  @Test
  void aRunOfAnAgentThatDoesNotExistFailsAndSaysSo() {
    AgentRun run = result(run(node.colony().agent(id), "r1"));
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error()).contains("there is no agent " + id);
  }

  @Test
  void anAgentOfAnUnknownTypeFailsItsRunsAndSaysWhy() {
    AgentHandle agent = spawn(AgentBlueprint.of(Blueprint.of("test.nonsense")));
    assertThat(result(run(agent, "r1")).error().orElseThrow())
        .contains("no ActionPolicy test.nonsense is registered here", "test.steps");
  }

  @Test
  void anAgentIsSpawnedOnceAndRefusesAnotherBlueprint() {
    spawn(TestTypes.BLUEPRINT);
    spawn(TestTypes.BLUEPRINT);
    assertThatThrownBy(() -> spawn(AgentBlueprint.of(Blueprint.of("other"))))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(AgentException.class)
        .hasMessage("agent " + id + " exists with another blueprint");
  }

  @Test
  void runsAreExecutedInOrderAndThoseBeyondTheQueueWaitForTheirTurn() {
    CountDownLatch latch = TYPES.hold("a0");
    AgentHandle agent = spawn(TestTypes.BLUEPRINT);
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      runs.add(run(agent, "r" + i));
      runs.get(i).stored().toCompletableFuture().join();
    }
    latch.countDown();
    for (RunHandle run : runs) {
      assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    }
    assertThat(accepted()).containsExactly("r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8");
  }

  @Test
  void aBlackboardThatIsAwayForAWhileLosesNothing() {
    AgentHandle agent = spawn(TestTypes.BLUEPRINT);
    CountDownLatch latch = TYPES.hold("a0");
    RunHandle run = run(agent, "r1");
    await().until(() -> !accepted().isEmpty());
    TROUBLE.failNext(40);
    latch.countDown();
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    TROUBLE.failNext(0);
  }

  @Test
  void aCallerThatGivesUpDoesNotEndTheRun() {
    CountDownLatch latch = TYPES.hold("a0");
    AgentHandle agent = spawn(TestTypes.BLUEPRINT);
    RunHandle hasty =
        agent.run(TestTypes.input(1, "internal"), options("r1").timeout(Duration.ofMillis(1)));
    assertThatThrownBy(() -> result(hasty))
        .cause()
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("it goes on");
    latch.countDown();
    assertThat(result(agent.attach(new RunId("r1"), options("r1"))).status())
        .isEqualTo(Status.COMPLETED);
  }

  @Test
  void progressIsSeenInOrderAndEndsWithTheResult() throws Exception {
    AgentHandle agent = spawn(TestTypes.BLUEPRINT);
    RunHandle run = agent.run(TestTypes.input(3, "internal"), options("r1"));
    result(run);
    List<String> seen = new CopyOnWriteArrayList<>();
    CountDownLatch ended = new CountDownLatch(1);
    run.events().subscribe(new OneByOne(seen, ended));
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(seen.subList(0, 3))
        .containsExactly("worked \"a0\"", "worked \"a1\"", "worked \"a2\"");
    assertThat(seen.subList(3, seen.size()))
        .singleElement()
        .satisfies(end -> assertThat(end).startsWith("completed {"));
  }

  @Test
  void anInputBeyondTheLimitIsRefusedAtOnce() {
    var large = JsonNodeFactory.instance.textNode("x".repeat(200_000));
    assertThatThrownBy(() -> node.colony().agent(id).run(large, options("r1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("200002 bytes, more than 131072");
  }

  @Test
  void aMalformedRequestIsAnsweredAndDropped() {
    spawn(TestTypes.BLUEPRINT);
    BOARDS
        .open(id.scope().namespace("test"), "someone")
        .send(
            Write.of("request:run:bad", JsonNodeFactory.instance.textNode("what?")),
            id.persistenceId())
        .toCompletableFuture()
        .join();
    AgentRun run = result(node.colony().agent(id).attach(new RunId("bad"), options("bad")));
    assertThat(run.error().orElseThrow()).startsWith("the request is malformed");
  }

  @Test
  void anAgentWithWorkOutstandingIsWokenAndGoesOn() {
    RunRequest request =
        new RunRequest(
            ExecutionContext.of(id, new RunId("r1")),
            "test",
            TestTypes.input(1, "internal"),
            "me",
            Instant.now());
    PersistenceTestKit.create(node.system())
        .persistForRecovery(
            id.persistenceId(),
            List.of(
                new AgentEvent.Spawned(TestTypes.BLUEPRINT, Instant.now()),
                new AgentEvent.Claimed(1, "a node that died", Instant.now()),
                new AgentEvent.Transitioned(
                    LifecycleCommand.START,
                    AgentState.INITIALIZED,
                    AgentState.IDLE,
                    "",
                    Optional.empty(),
                    0,
                    Instant.now()),
                new AgentEvent.RunAccepted(request, 1, Instant.now())));
    enterUnannounced();
    OUTSTANDING.add(id.persistenceId());
    AgentHandle agent = node.colony().agent(id);
    assertThat(await().until(() -> ended(agent), Optional::isPresent).orElseThrow().status())
        .isEqualTo(Status.COMPLETED);
    OUTSTANDING.clear();
  }

  /** Into the directory, but not into the inbox: only the waker starts it. */
  private void enterUnannounced() {
    ObjectNode entry = JsonNodeFactory.instance.objectNode();
    entry.put("unit", 0).set("blueprint", TestTypes.BLUEPRINT.toJson());
    BOARDS
        .open(Scope.colony(id.tenant(), id.colony()).namespace("agents"), "test")
        .write(Write.of(id.name(), entry))
        .toCompletableFuture()
        .join();
  }

  private AgentHandle spawn(AgentBlueprint blueprint) {
    return node.colony().spawn(id, blueprint).toCompletableFuture().join();
  }

  private RunHandle run(AgentHandle agent, String runId) {
    return agent.run(TestTypes.input(1, "internal"), options(runId));
  }

  private List<String> accepted() {
    return PersistenceTestKit.create(node.system()).persistedInStorage(id.persistenceId()).stream()
        .filter(AgentEvent.RunAccepted.class::isInstance)
        .map(event -> ((AgentEvent.RunAccepted) event).request().runId().value())
        .toList();
  }

  /** Of a run whose request no caller has written: it stands in the journal only. */
  private static Optional<AgentRun> ended(AgentHandle agent) {
    return agent.ended(new RunId("r1"), options("r1")).toCompletableFuture().join();
  }

  private static RunOptions options(String runId) {
    return RunOptions.namespace("test").runId(new RunId(runId));
  }

  private static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  private record OneByOne(List<String> seen, CountDownLatch ended, Flow.Subscription[] held)
      implements Flow.Subscriber<RunProgress> {

    OneByOne(List<String> seen, CountDownLatch ended) {
      this(seen, ended, new Flow.Subscription[1]);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      held[0] = subscription;
      subscription.request(1);
    }

    @Override
    public void onNext(RunProgress progress) {
      seen.add(progress.name() + " " + progress.data());
      held[0].request(1);
    }

    @Override
    public void onError(Throwable failure) {
      seen.add("failed " + failure);
      ended.countDown();
    }

    @Override
    public void onComplete() {
      ended.countDown();
    }
  }
}
