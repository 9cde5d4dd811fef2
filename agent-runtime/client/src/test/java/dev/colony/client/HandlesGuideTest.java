package dev.colony.client;

import static dev.colony.agent.ResumptionCondition.any;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.http.HttpGuideTest;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The examples of docs/guides/handles.md. */
class HandlesGuideTest {

  private static final JsonNode INPUT = TextNode.valueOf("check the auth module");

  private final AgentId id = new AgentId("acme", "guide", "reviewer-" + UUID.randomUUID());
  private final ColonyClient client = ColonyClient.connect(TestRedis.shared().uri());
  private final PlayedAgent played = new PlayedAgent(id, client.blackboards(), "compliance");

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns("guides/handles.md#From Java", HandlesGuideTest.class, HttpGuideTest.class);
  }

  @Test
  void aRunIsAskedForAndAwaited() {
    RunOptions options = RunOptions.namespace("compliance").idempotencyKey("order-42");
    Thread.startVirtualThread(() -> {
      RunHandle asked = client.colony().agent(id).run(INPUT, options);
      asked.stored().toCompletableFuture().join();
      played.complete(asked.runId(), IntNode.valueOf(3));
    });
    assertThat(ask(TestRedis.shared().uri(), id, INPUT).output().asInt()).isEqualTo(3);
  }

  private static AgentRun ask(String redisUrl, AgentId reviewer, JsonNode input) {
    // guide: ask
    try (Colony colony = Colony.connect(redisUrl)) {
      AgentHandle agent = colony.agent(reviewer);
      RunHandle run =
          agent.run(
              input,
              RunOptions.namespace("compliance").idempotencyKey("order-42").timeout(ofSeconds(60)));
      return run.join();
    }
    // guide end
  }

  @Test
  void aStreamIsFollowedAndTakenUpAgain() throws Exception {
    AgentHandle agent = client.colony().agent(id);
    Follower first = Follower.all();
    stream(agent, INPUT, first);
    RunId run = awaitRequest();
    played.emit(run, "found", 1);
    played.complete(run, INPUT);
    RunProgress had = first.seenAtLeast(1).getFirst();
    Follower second = Follower.all();
    again(agent, run, had.token(), second);
    assertThat(first.ended().names()).containsExactly("found", "completed");
    assertThat(second.ended().names()).containsExactly("completed");
  }

  private static void stream(
      AgentHandle agent, JsonNode input, Flow.Subscriber<RunProgress> subscriber) {
    // guide: stream
    agent.runStreamed(input, RunOptions.namespace("compliance")).subscribe(subscriber);
    // guide end
  }

  private static void again(
      AgentHandle agent, RunId run, String token, Flow.Subscriber<RunProgress> subscriber) {
    // guide: again
    agent.attach(run, RunOptions.namespace("compliance")).events(token).subscribe(subscriber);
    // guide end
  }

  @Test
  void aUnitOfWorkIsGivenToOneOfAPool() {
    client
        .colony()
        .spawn(id, AgentBlueprint.of(Blueprint.of("test.any")))
        .toCompletableFuture()
        .join();
    RunHandle unit = assign(client.colony().agent(id), INPUT);
    unit.stored().toCompletableFuture().join();
    Blackboard pool =
        client.blackboards().open(Scope.colony("acme", "guide").namespace("pool"), "worker");
    String key = new WorkAssignmentProtocol().resultKey(unit.runId().value());
    pool.write(Write.value(key, 7)).toCompletableFuture().join();
    AgentRun run = unit.result().toCompletableFuture().join();
    assertThat(run).isEqualTo(AgentRun.completed(unit.runId(), IntNode.valueOf(7), RunStats.NONE));
  }

  private static RunHandle assign(AgentHandle worker, JsonNode unit) {
    // guide: assign
    return worker.run(
        unit,
        RunOptions.namespace("pool")
            .protocol(new WorkAssignmentProtocol())
            .scope(ScopeLevel.COLONY));
    // guide end
  }

  @Test
  void anAgentIsToldThings() {
    client
        .colony()
        .spawn(id, AgentBlueprint.of(Blueprint.of("test.plain")))
        .toCompletableFuture()
        .join();
    tell(client.colony(), id);
    assertThat(
            client
                .blackboards()
                .open(id.scope(), "test")
                .read("approval:pay-42")
                .toCompletableFuture()
                .join())
        .isPresent();
  }

  private static void tell(Colony colony, AgentId reviewer) {
    // guide: tell
    AgentHandle agent = colony.agent(reviewer);
    agent
        .suspend(
            "until the lead has looked",
            any(new Approved("release"), new At(Instant.now().plusSeconds(3_600))))
        .join();
    agent.approve("pay-42", "ann", "once").join();
    agent.resume("it is urgent").join();
    // guide end
  }

  private RunId awaitRequest() {
    Blackboard board = client.blackboards().open(id.scope().namespace("compliance"), "test");
    return await()
        .until(
            () ->
                board
                    .query(Query.keys("request:run:*"))
                    .toCompletableFuture()
                    .join()
                    .entries()
                    .stream()
                    .map(entry -> new RunId(entry.value().path("runId").asText()))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }
}
