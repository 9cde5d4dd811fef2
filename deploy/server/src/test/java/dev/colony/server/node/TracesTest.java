package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.TraceParent;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.LifecycleEvent;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.node.Started;
import dev.colony.server.fixture.TellerTypes;
import dev.colony.server.node.SpanCollector.Received;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The trace of a run over two nodes, of which one leaves before the run has ended. */
class TracesTest {

  private static final AgentId PARENT = new AgentId("acme", "trace", "parent");
  private static final String CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private final Started started = new Started();
  private final Map<String, Node> nodes = new HashMap<>();
  private SpanCollector collector;

  @BeforeEach
  void start() throws IOException {
    collector = started.add(new SpanCollector());
    Config config =
        LocalNodes.config("colony.tracing.endpoint = \"%s\"".formatted(collector.uri()));
    RedisServerProcess redis = LocalNodes.redis(started);
    List<CompletableFuture<Node>> starting = new ArrayList<>();
    List<NodeOptions> all = LocalNodes.options(2, redis.uri(), OptionalInt.empty());
    for (NodeOptions options : all) {
      starting.add(CompletableFuture.supplyAsync(() -> Node.start(options, config)));
    }
    for (int i = 0; i < all.size(); i++) {
      nodes.put(all.get(i).name(), started.add(starting.get(i).join()));
    }
  }

  @AfterEach
  void stop() {
    started.close();
  }

  private List<Received> named(String name) {
    return collector.spans().stream()
        .filter(span -> span.attributes().get("gen_ai.operation.name").equals(name))
        .toList();
  }

  private static AgentHandle handle(Node node) {
    return node.colony().agent(PARENT);
  }

  /** Runs the parent; where it waits for a person, the node that it was on leaves. */
  private AgentRun run(RunOptions options) {
    Node any = nodes.values().iterator().next();
    any.colony().spawn(PARENT, TracedTypes.PARENT).toCompletableFuture().join();
    RunHandle asked = handle(any).run("go", options);
    asked.stored().toCompletableFuture().join();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> named("execute_tool").stream().anyMatch(Received::failed));
    await().atMost(Duration.ofSeconds(60)).until(() -> !handle(any).pending().join().isEmpty());
    String left =
        (String)
            named("execute_tool").stream()
                .filter(Received::failed)
                .findFirst()
                .orElseThrow()
                .node();
    nodes.remove(left).close();
    Node other = nodes.values().iterator().next();
    AgentHandle agent = handle(other);
    agent.approve(agent.pending().join().getFirst().request(), "lead", "").join();
    return agent
        .attach(asked.runId(), options)
        .result()
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  private Map<String, Received> byId() {
    return collector.spans().stream()
        .collect(Collectors.toMap(Received::id, span -> span, (one, again) -> again));
  }

  @Test
  void aRunOverTwoNodesIsOneTraceWhoseParentsAreRight() {
    TraceParent caller = TraceParent.parse(CALLER).orElseThrow();
    AgentRun run = run(RunOptions.namespace("traced").traceparent(Optional.of(caller)));
    assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            named("invoke_agent").stream().anyMatch(span -> span.parent().equals(caller.spanId())));

    Map<String, Received> all = byId();
    assertThat(all.values()).extracting(Received::trace).containsOnly(caller.traceId());
    assertThat(all.values()).extracting(Received::node).contains("node-1", "node-2");
    assertThat(collector.paths()).containsOnly("/v1/traces");
    Map<String, List<String>> parents = new HashMap<>();
    for (Received span : all.values()) {
      Received above = all.get(span.parent());
      parents
          .computeIfAbsent(shape(span), any -> new ArrayList<>())
          .add(above == null ? span.parent() : shape(above));
      assertThat(span.ended()).isGreaterThanOrEqualTo(span.begun());
    }
    Map<String, List<String>> expected = new HashMap<>();
    expected.put("invoke_agent parent", List.of(caller.spanId()));
    // The step that asked the person is followed by one that does what was asked for.
    expected.put("plan", times(5, "invoke_agent parent"));
    expected.put("chat", new ArrayList<>(List.of("plan")));
    expected.put("execute_tool hands.delegate", List.of("plan"));
    expected.put("execute_tool hands.stumble", List.of("plan"));
    expected.put("execute_tool hands.ask", times(2, "plan"));
    expected.put("invoke_agent child", times(8, "execute_tool hands.delegate"));
    expected.get("plan").addAll(times(16, "invoke_agent child"));
    expected.put("execute_tool hands.look", times(8, "plan"));
    expected.get("chat").addAll(times(8, "execute_tool hands.look"));
    assertThat(parents.keySet()).isEqualTo(expected.keySet());
    expected.forEach((shape, above) ->
        assertThat(parents.get(shape)).as(shape).containsExactlyInAnyOrderElementsOf(above));
  }

  private static List<String> times(int count, String text) {
    return new ArrayList<>(Collections.nCopies(count, text));
  }

  private static String shape(Received span) {
    Object agent = span.attributes().get("gen_ai.agent.name");
    return switch ((String) span.attributes().get("gen_ai.operation.name")) {
      case "invoke_agent" -> "invoke_agent " + (agent.equals("parent") ? "parent" : "child");
      case "chat" -> "chat";
      default -> span.name();
    };
  }

  @Test
  void spansSayWhatOpenTelemetryNames() {
    AgentRun run = run(RunOptions.namespace("traced"));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> named("invoke_agent").stream().anyMatch(span -> span.parent().isEmpty()));

    Received root =
        named("invoke_agent").stream()
            .filter(span -> span.parent().isEmpty())
            .findFirst()
            .orElseThrow();
    assertThat(root.name()).isEqualTo("invoke_agent parent");
    assertThat(root.attributes())
        .containsEntry("gen_ai.provider.name", "colony")
        .containsEntry("gen_ai.agent.id", PARENT.toString())
        .containsEntry("colony.run", run.runId().value())
        .containsEntry("gen_ai.usage.input_tokens", run.stats().usage().promptTokens());
    assertThat(root.resource()).containsEntry("service.name", "colony");
    assertThat(root.failed()).isFalse();
    Received chat = named("chat").getFirst();
    assertThat(chat.attributes())
        .containsEntry("gen_ai.response.finish_reasons", List.of("stop"))
        .containsKeys(
            "gen_ai.response.model",
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.cache_read.input_tokens");
    assertThat(chat.name()).isEqualTo("chat " + chat.attributes().get("gen_ai.response.model"));
    Received stumbled =
        named("execute_tool").stream().filter(Received::failed).findFirst().orElseThrow();
    assertThat(stumbled.attributes())
        .containsEntry("gen_ai.tool.name", "hands.stumble")
        .containsEntry("gen_ai.tool.call.id", "stumble")
        .containsEntry("error.type", "failed");
    Set<Object> said = new HashSet<>();
    collector.spans().forEach(span -> said.addAll(span.attributes().values()));
    assertThat(said.toString()).doesNotContain("bow", "stone");
    assertThat(root.trace())
        .isEqualTo(
            handle(nodes.values().iterator().next())
                .history(Optional.empty(), 200)
                .join()
                .entries()
                .stream()
                .filter(LifecycleEvent.RunAccepted.class::isInstance)
                .map(event -> ((LifecycleEvent.RunAccepted) event).traceId().orElseThrow())
                .findFirst()
                .orElseThrow());
  }

  @Test
  void aCallerThatKeepsNoTraceHasNone() {
    TraceParent caller = TraceParent.parse(CALLER.replaceAll("01$", "00")).orElseThrow();
    Node any = nodes.values().iterator().next();
    AgentId quiet = new AgentId("acme", "trace", "quiet");
    AgentHandle agent =
        any.colony().spawn(quiet, TellerTypes.BLUEPRINT).toCompletableFuture().join();
    RunOptions options = RunOptions.namespace("traced");
    agent
        .run(TellerTypes.input(1, 0), options.traceparent(Optional.of(caller)))
        .result()
        .toCompletableFuture()
        .join();
    agent.run(TellerTypes.input(1, 0), options).result().toCompletableFuture().join();
    await().atMost(Duration.ofSeconds(30)).until(() -> !named("invoke_agent").isEmpty());
    assertThat(collector.spans())
        .extracting(Received::trace)
        .isNotEmpty()
        .doesNotContain(caller.traceId());
  }
}
