package dev.colony.spring.harbour;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The application of docs/guides/handles.md, with a node and a Redis. */
class HarbourTest {

  @Registered("harbour.glossary")
  public static final class GlossaryCapability extends AgentCapability {

    public GlossaryCapability(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Looks up what a term means.")
    String lookUp(@Param("the term, as it was asked for") String term) {
      return Map.of("bow", "the front of a ship", "stern", "its back").get(term);
    }
  }

  public static final class HarbourTypes implements TypeProvider {
    @Override
    public void register(Types types) {
      types.add(GlossaryCapability.class);
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
              : new ToolCall("1", "harbour_glossary_look_up", json("term", "bow"));
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
    Guide.showsWhatRuns("guides/handles.md#Spring Boot", Harbour.class);
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
      AgentRun run = application.getBean(Harbour.class).explain("bow");

      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("the front of a ship");
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

  private static long calls(MeterRegistry meters, String call, String outcome) {
    return meters.get("colony.calls").tags("call", call, "outcome", outcome).timer().count();
  }
}
