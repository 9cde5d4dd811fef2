package dev.colony.spring.harbour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.server.node.NodeOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The application of docs/spring-boot.md, with a node and a Redis. */
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

  @SpringBootApplication
  static class Application {
    @Bean
    MeterRegistry meters() {
      return new SimpleMeterRegistry();
    }
  }

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns("spring-boot.md", Harbour.class);
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
                NodeConfig.base(Optional.empty()));
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
