package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentResources;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents on a node that has fewer slots than there are agents. */
@Timeout(120)
class CapacityTest {

  private static final ActionPolicyIterationResult DONE =
      ActionPolicyIterationResult.completed(
          ActionPolicyOutput.of(JsonNodeFactory.instance.textNode("done")));

  private final String round = UUID.randomUUID().toString().substring(0, 8);
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final AtomicInteger atWork = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final List<String> order = Collections.synchronizedList(new ArrayList<>());
  private LocalNode node;
  private PersistenceTestKit journal;

  @AfterEach
  void stop() {
    node.close();
    boards.close();
  }

  private void start(String capacity) {
    start(capacity, CapacitySettings.Waiting.USUAL);
  }

  private void start(String capacity, CapacitySettings.Waiting waiting) {
    String settings = "colony.agent { passivate-after = 1h, capacity { " + capacity + "} }";
    node =
        LocalNode.of(boards, new TestTypes())
            .settings(settings)
            .service(
                CapacitySettings.class, Bounds.capacity(settings, waiting, Duration.ofSeconds(20)))
            .start();
    journal = PersistenceTestKit.create(node.system());
  }

  private AgentId id(String tenant, String name) {
    return new AgentId(tenant, "full", round + "-" + name);
  }

  private AgentHandle spawn(AgentId agent, int priority, PlayedPolicy.Play play) {
    PlayedPolicy.play(agent.name(), play);
    AgentBlueprint blueprint = PlayedPolicy.BLUEPRINT.resources(new AgentResources(priority, 0, 1));
    return now(node.colony().spawn(agent, blueprint));
  }

  private static RunHandle run(AgentHandle agent) {
    return agent.run(
        JsonNodeFactory.instance.objectNode(), RunOptions.namespace("test").runId(new RunId("r1")));
  }

  private static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(90, TimeUnit.SECONDS).join();
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  private <E> List<E> journaled(AgentId agent, Class<E> type) {
    return journal.persistedInStorage(agent.persistenceId()).stream()
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  private boolean suspended(AgentId agent) {
    return journaled(agent, AgentEvent.Transitioned.class).stream()
        .anyMatch(moved ->
            moved.suspension().filter(one -> one.cause() == SuspensionCause.CAPACITY).isPresent());
  }

  /** Counts itself as at work for one iteration. */
  private PlayedPolicy.Play counted(CountDownLatch go) {
    return (context, state) -> {
      order.add(context.agent().id().tenant());
      most.accumulateAndGet(atWork.incrementAndGet(), Math::max);
      go.await();
      Thread.sleep(2);
      atWork.decrementAndGet();
      return DONE;
    };
  }

  @Test
  void aHundredAgentsOnFourPlacesAllRunAndTenantsShareThem() {
    start("agents = 4");
    CountDownLatch go = new CountDownLatch(1);
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      runs.add(run(spawn(id("large", "l" + i), 50, counted(go))));
    }
    await(() -> atWork.get() == 4);
    for (int i = 0; i < 20; i++) {
      runs.add(run(spawn(id("small", "s" + i), 50, counted(go))));
    }
    AgentId last = id("small", "s19");
    await(() -> !journaled(last, AgentEvent.RunAccepted.class).isEmpty());
    go.countDown();
    runs.forEach(run -> assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED));
    assertThat(most.get()).isEqualTo(4);
    // Of the first so many after the four that were at work, half are the small tenant's.
    assertThat(Collections.frequency(order.subList(4, 40), "small")).isBetween(12, 20);
  }

  @Test
  void theHigherPriorityGoesFirst() {
    start("agents = 1");
    CountDownLatch go = new CountDownLatch(1);
    RunHandle first = run(spawn(id("acme", "first"), 50, counted(go)));
    await(() -> atWork.get() == 1);
    List<RunHandle> runs = new ArrayList<>();
    List<Integer> priorities = List.of(10, 90, 50, 70, 30);
    List<Integer> served = Collections.synchronizedList(new ArrayList<>());
    for (int priority : priorities) {
      AgentId agent = id("acme", "p" + priority);
      runs.add(
          run(
              spawn(
                  agent,
                  priority,
                  (context, state) -> {
                    served.add(priority);
                    return DONE;
                  })));
      await(() -> !journaled(agent, AgentEvent.RunAccepted.class).isEmpty());
    }
    go.countDown();
    result(first);
    runs.forEach(CapacityTest::result);
    assertThat(served).containsExactly(90, 70, 50, 30, 10);
  }

  @Test
  void parentsThatWaitForTheirChildrenHoldNoPlace() {
    start("agents = 1");
    PlayedPolicy.Play parent =
        (context, state) -> {
          AgentId child = id("acme", context.agent().id().name().substring(9) + "-child");
          if (state.iterationNum() > 0) {
            return DONE;
          }
          AgentHandle spawned =
              context
                  .agent()
                  .children()
                  .spawn(child.name(), PlayedPolicy.BLUEPRINT, OnParentStop.STOP);
          PlayedPolicy.play(
              spawned.id().name(),
              (one, itself) ->
                  ActionPolicyIterationResult.terminated(
                      new ErrorContext("test", "it is done", Optional.empty(), false)));
          run(spawned);
          return ActionPolicyIterationResult.blocked("its child", List.of(spawned.id()));
        };
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      runs.add(run(spawn(id("acme", "parent" + i), 50, parent)));
    }
    runs.forEach(run -> assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED));
  }

  @Test
  void whoWaitsTooLongInMemoryWaitsDurablyAndRunsInItsTurn() {
    start("agents = 1", new CapacitySettings.Waiting(3, Duration.ofMillis(100), 2, 200));
    CountDownLatch go = new CountDownLatch(1);
    List<AgentId> agents = new ArrayList<>();
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      AgentId agent = id("acme", "a" + i);
      agents.add(agent);
      runs.add(run(spawn(agent, 50, counted(go))));
    }
    await(() -> agents.stream().filter(this::suspended).count() >= 9);
    await(() -> agents.stream().filter(agent -> !node.holds(agent)).count() >= 7);
    go.countDown();
    runs.forEach(run -> assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED));
    assertThat(most.get()).isEqualTo(1);
    assertThat(order).hasSize(12);
  }

  @Test
  void anAgentAtWorkGivesWayToOneOfHigherPriorityBetweenItsStepsAndGoesOnLater() {
    start("agents = 1, suspend-lower { after = 100ms, least-turn = 0s }");
    CountDownLatch urgent = new CountDownLatch(1);
    AtomicInteger steps = new AtomicInteger();
    AgentId low = id("acme", "low");
    RunHandle slow =
        run(
            spawn(
                low,
                10,
                (context, state) -> {
                  steps.incrementAndGet();
                  Thread.sleep(10);
                  return urgent.getCount() == 0 ? DONE : ActionPolicyIterationResult.skipped();
                }));
    await(() -> steps.get() > 3);
    RunHandle quick =
        run(
            spawn(
                id("acme", "urgent"),
                90,
                (context, state) -> {
                  urgent.countDown();
                  return DONE;
                }));
    assertThat(result(quick).status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(suspended(low)).isTrue();
    assertThat(result(slow).status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(result(slow).stats().steps()).as("no step was cut off").isEqualTo(steps.get());
  }

  @Test
  void whoIsStoppedOrCancelledWhileItWaitsForAPlaceLetsOthersHaveIt() {
    start("agents = 1");
    CountDownLatch go = new CountDownLatch(1);
    RunHandle first = run(spawn(id("acme", "first"), 50, counted(go)));
    await(() -> atWork.get() == 1);
    AgentHandle stopped = spawn(id("acme", "stopped"), 90, counted(go));
    AgentHandle cancelled = spawn(id("acme", "cancelled"), 90, counted(go));
    RunHandle stoppedRun = run(stopped);
    RunHandle cancelledRun = run(cancelled);
    RunHandle last = run(spawn(id("acme", "last"), 10, counted(go)));
    await(() -> !journaled(stopped.id(), AgentEvent.RunAccepted.class).isEmpty());
    now(stopped.stop("not needed"));
    now(
        cancelled.cancel(
            new RunId("r1"), RunOptions.namespace("test").runId(new RunId("r1")), "no"));
    assertThat(result(stoppedRun).status()).isEqualTo(AgentRun.Status.CANCELLED);
    assertThat(result(cancelledRun).status()).isEqualTo(AgentRun.Status.CANCELLED);
    go.countDown();
    assertThat(result(first).status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(result(last).status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(order).hasSize(2);
    assertThat(now(stopped.state()).orElseThrow().state()).isEqualTo(AgentState.STOPPED);
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
  }
}
