package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.directory.AgentDirectory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** A node over Redis that has much of one thing. */
@Tag("faults")
@Timeout(600)
abstract class ScaleFixture {

  final String colony = "s-" + UUID.randomUUID().toString().substring(0, 8);
  final TestTypes types = new TestTypes();
  final TestRedis redis = TestRedis.start(Fsync.NO);
  final RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
  RedisBlackboards boards;
  LocalNode node;

  @AfterEach
  void stop() {
    node.close();
    boards.close();
    connections.close();
    redis.close();
  }

  void start(String settings) {
    start(settings, BlackboardSettings.DEFAULTS);
  }

  void start(String settings, BlackboardSettings board) {
    boards = new RedisBlackboards(connections, board);
    node = LocalNode.of(boards, types).journal(redis.uri()).settings(settings).start();
  }

  AgentId id(String name) {
    return new AgentId("acme", colony, colony + name);
  }

  AgentHandle spawn(String name, AgentBlueprint blueprint) {
    return now(node.colony().spawn(id(name), blueprint));
  }

  static RunOptions options(String run) {
    return RunOptions.namespace("test").runId(new RunId(run));
  }

  static RunHandle run(AgentHandle agent, String run) {
    return agent.run(JsonNodeFactory.instance.objectNode(), options(run));
  }

  static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(240, TimeUnit.SECONDS).join();
  }

  static void completes(RunHandle run) {
    AgentRun ended = result(run);
    assertThat(ended.status()).as(ended.error().orElse("")).isEqualTo(AgentRun.Status.COMPLETED);
  }

  static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(120, TimeUnit.SECONDS).join();
  }

  static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(200)).until(condition);
  }

  static ActionPolicyIterationResult done(JsonNode output) {
    return ActionPolicyIterationResult.completed(ActionPolicyOutput.of(output));
  }

  static <T> T timed(String what, Callable<T> part) throws Exception {
    long began = System.nanoTime();
    T value = part.call();
    System.out.printf(
        "%s: %d ms%n", what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    return value;
  }

  Map<String, AgentState> states() {
    AgentDirectory directory = new AgentDirectory(boards);
    return now(directory.list("acme", colony, 100_000, Optional.empty())).stream()
        .collect(Collectors.toMap(one -> one.id().name(), one -> one.status().state()));
  }

  long count(String prefix, AgentState state) {
    return states().entrySet().stream()
        .filter(one -> one.getKey().startsWith(colony + prefix) && one.getValue() == state)
        .count();
  }
}
