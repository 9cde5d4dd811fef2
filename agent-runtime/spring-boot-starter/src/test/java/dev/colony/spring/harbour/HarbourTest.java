package dev.colony.spring.harbour;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.Param;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceReply.Timings;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ToolCall;
import dev.colony.inference.Usage;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * The application of docs/guides/spring-boot.md, with a node and a Redis, and with a colony of its
 * own.
 */
class HarbourTest {

  /** Counts what it is asked, so that it shows which of its objects is asked. */
  public static final class Glossary {

    static final AtomicInteger MADE = new AtomicInteger();
    private final int number = MADE.incrementAndGet();

    record Term(@Param("the term, as it was asked for") String term) {}

    @ActionExecutor(summary = "Looks up what a term means.")
    String lookUp(Term term) {
      return Map.of("bow", "the front of a ship", "stern", "its back").get(term.term())
          + ", says "
          + number;
    }
  }

  /** A model that looks the term up, and completes with what it has found. */
  private static final class Lookup implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      boolean found = request.prompt().messages().toString().contains("the front of a ship");
      ToolCall call =
          found
              ? new ToolCall("2", "complete", json("result", "the front of a ship"))
              : new ToolCall("1", "glossary_look_up", json("term", "bow"));
      return CompletableFuture.completedFuture(
          new InferenceReply(
              request.callId(),
              "",
              List.of(call),
              "",
              FinishReason.TOOL_CALLS,
              Usage.NONE,
              Timings.NONE,
              "lookup",
              "",
              "test",
              false));
    }

    private static ObjectNode json(String name, String value) {
      return JsonNodeFactory.instance.objectNode().put(name, value);
    }

    @Override
    public void close() {
      // It holds nothing.
    }
  }

  @SpringBootApplication
  static class Application {
    @Bean
    MeterRegistry meters() {
      return new SimpleMeterRegistry();
    }
  }

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns("guides/spring-boot.md", Harbour.class, LocalHarbour.class);
  }

  @Test
  void anApplicationAsksAnAgentAndIsSeenToDoSo() {
    TestRedis redis = TestRedis.start();
    try (Node node =
            Node.start(
                NodeOptions.alone(
                    "node-1",
                    LoopbackPorts.free(1).getFirst(),
                    redis.uri(),
                    Optional.empty(),
                    Optional.empty()),
                NodeConfig.base(Optional.empty()),
                Optional.of(new Lookup()),
                StepListener.NONE);
        ConfigurableApplicationContext application =
            new SpringApplicationBuilder(Application.class)
                .properties("colony.url=" + redis.uri())
                .run()) {
      assertThat(node.colony()).isNotNull();
      assertThat(application.getBean(Harbour.class).explain("bow"))
          .isEqualTo("the front of a ship");
      MeterRegistry meters = application.getBean(MeterRegistry.class);
      assertThat(calls(meters, "Colony.spawn", "ok")).isEqualTo(1);
      assertThat(calls(meters, "RunHandle.result", "completed")).isEqualTo(1);
      HealthIndicator health = application.getBean("colonyHealthIndicator", HealthIndicator.class);
      assertThat(health.health(true).getStatus()).isEqualTo(Status.UP);

      redis.pause();
      try {
        assertThat(health.health(true).getStatus()).isEqualTo(Status.DOWN);
      } finally {
        redis.resume();
      }
    } finally {
      redis.close();
    }
  }

  /** Calls are timed there too, and the very object is asked that the service has made. */
  @Test
  void aColonyOfTheApplicationAsksTheObjectThatItWasGiven() throws Exception {
    int made = Glossary.MADE.get();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    Queue<String> results = new ConcurrentLinkedQueue<>();
    server.createContext("/v1/", exchange -> answer(exchange, results));
    server.start();
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(Application.class, LocalHarbour.class)
            .properties("harbour.model=http://127.0.0.1:" + server.getAddress().getPort() + "/v1")
            .run()) {
      assertThat(application.getBean(Harbour.class).explain("bow")).isEqualTo("front of a ship");
      assertThat(results).anyMatch(one -> one.contains("the front of a ship, says " + (made + 1)));
      assertThat(Glossary.MADE).hasValue(made + 1);
      assertThat(calls(application.getBean(MeterRegistry.class), "RunHandle.result", "completed"))
          .isEqualTo(1);
    } finally {
      server.stop(0);
    }
  }

  /** A model server that looks the term up and completes. */
  private static void answer(HttpExchange exchange, Queue<String> results) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String call =
        body.contains("the front of a ship, says")
            ? "\"name\": \"complete\", \"arguments\": \"{\\\"result\\\": \\\"front of a ship\\\"}\""
            : "\"name\": \"glossary_look_up\", \"arguments\": \"{\\\"term\\\": \\\"bow\\\"}\"";
    results.add(body);
    String reply =
        exchange.getRequestURI().getPath().endsWith("/models")
            ? "{\"data\": [{\"id\": \"m\", \"object\": \"model\", \"max_model_len\": 32768}]}"
            : "{\"model\": \"m\", \"choices\": [{\"index\": 0, \"finish_reason\": \"tool_calls\","
                + " \"message\": {\"role\": \"assistant\", \"content\": null, \"tool_calls\":"
                + " [{\"id\": \"c1\", \"type\": \"function\", \"function\": {"
                + call
                + "}}]}}], \"usage\": {\"prompt_tokens\": 9, \"completion_tokens\": 3,"
                + " \"total_tokens\": 12}}";
    byte[] bytes = reply.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static long calls(MeterRegistry meters, String call, String outcome) {
    return meters.get("colony.calls").tags("call", call, "outcome", outcome).timer().count();
  }
}
