package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.bench.FakeModel;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A node whose agents leave memory as soon as they rest, and one agent of it at a time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LiveFixture {

  final InMemoryBlackboards boards = new InMemoryBlackboards();
  final TestTypes types = new TestTypes();
  LocalNode node;
  PersistenceTestKit journal;
  AgentId id;
  Scope scope;
  AgentHandle agent;

  @BeforeAll
  void start() {
    node =
        new LocalNode(
            ActorTestKit.create(LocalNode.config(settings())),
            boards,
            new FakeModel(),
            types,
            () -> CompletableFuture.completedStage(Set.of()),
            (one, took) -> {});
    journal = PersistenceTestKit.create(node.system());
  }

  /** What differs from the settings of other tests' nodes. */
  String settings() {
    return "colony.agent.passivate-after = 50ms";
  }

  @AfterAll
  void stop() {
    node.close();
    boards.close();
  }

  @BeforeEach
  void fresh() {
    String name = "a-" + UUID.randomUUID();
    id = new AgentId("acme", "lives", name);
    scope = Scope.session("acme", "lives", name);
    types.begun.clear();
    types.made.set(0);
    types.restored.clear();
  }

  @AfterEach
  void release() {
    types.releaseAll();
  }

  void spawn(AgentBlueprint blueprint) {
    agent = now(node.colony().spawn(id, blueprint));
  }

  RunHandle run(String runId, ObjectNode input) {
    return agent.run(input, options(runId));
  }

  /** An input of {@link Reactive}. */
  static ObjectNode input(String what, String of) {
    return JsonNodeFactory.instance.objectNode().put(what, of);
  }

  static RunOptions options(String runId) {
    return RunOptions.namespace("test").runId(new RunId(runId));
  }

  static AgentRun result(RunHandle run) {
    return now(run.result());
  }

  static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  String begun() throws InterruptedException {
    return types.begun.poll(20, TimeUnit.SECONDS);
  }

  void alarm(String name) {
    now(boards.open(scope, "someone").write(Write.value("alarm:" + name, 1)));
  }

  /** With patience for a machine that is busy with other things. */
  static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofSeconds(30));
  }

  void awaitParked() {
    await()
        .until(() ->
            journaled(AgentEvent.StepCompleted.class).stream()
                .anyMatch(step -> step.parked().isPresent()));
  }

  void awaitMoved(AgentState to) {
    await()
        .until(() ->
            journaled(AgentEvent.Transitioned.class).stream().anyMatch(one -> one.to() == to));
  }

  <E> List<E> journaled(Class<E> type) {
    return journal.persistedInStorage(id.persistenceId()).stream()
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }
}
