package dev.colony.node.activation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.persistence.testkit.javadsl.PersistenceTestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A node for the tests of a class, and for each of them an agent whose policy the test plays. */
abstract class PlayedAgentFixture {

  static final ActionPolicyIterationResult DONE =
      ActionPolicyIterationResult.completed(
          ActionPolicyOutput.of(JsonNodeFactory.instance.textNode("done")));

  static TestTypes types;
  static LocalNode node;
  static InMemoryBlackboards boards;

  final AgentId id = new AgentId("acme", "tests", "a-" + UUID.randomUUID());

  @BeforeAll
  static void start() {
    types = new TestTypes();
    boards = new InMemoryBlackboards();
    node = LocalNode.start(boards, types);
  }

  @AfterAll
  static void stop() {
    types.releaseAll();
    node.close();
    boards.close();
  }

  /** Whether an external action has begun. */
  static boolean begun(String actionId) {
    return types.begun.stream().anyMatch(key -> key.endsWith("/" + actionId));
  }

  List<AgentEvent> events() {
    return PersistenceTestKit.create(node.system()).persistedInStorage(id.persistenceId()).stream()
        .map(AgentEvent.class::cast)
        .toList();
  }

  AgentHandle spawn(AgentBlueprint blueprint) {
    return node.colony().spawn(id, blueprint).toCompletableFuture().join();
  }

  static RunHandle run(AgentHandle agent, String runId) {
    return agent.run(
        JsonNodeFactory.instance.objectNode(),
        RunOptions.namespace("test").runId(new RunId(runId)));
  }

  static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
