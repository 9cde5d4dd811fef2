package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.view.ActionView;
import dev.colony.agent.view.HistoryEntry;
import dev.colony.agent.view.StepView;
import dev.colony.library.http.HttpService;
import dev.colony.library.http.HttpToolCapability;
import dev.colony.library.http.HttpToolCapability.Args;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that run by themselves within a test's JVM. */
class TestColonyTest {

  private static final AgentBlueprint ASKER = AgentBlueprint.of(MinimalActionPolicy.class);
  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(1));

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void close() {
    model.close();
  }

  private static RunHandle ask(TestColony colony) {
    return colony.spawn("asker", ASKER).run(Map.of("goals", "answer"), OPTIONS);
  }

  @Test
  void whatANodeHadUnderWayGoesOnWhenItHasCrashed() {
    Expectation held = model.expect().held().answer("never read");
    model.expect().complete("done");
    try (TestColony colony = TestColony.inMemory().model(model).start()) {
      RunHandle run = ask(colony);
      held.await();
      colony.crash();
      assertThat(run.join().output().asText()).isEqualTo("done");
    }
  }

  @Test
  void aNodeDiesWhereTheTestSaysAndTheNextGoesOn() {
    model.expect().anyTimes().complete("done");
    KillPoint point = KillPoint.at(3, KillPoint.Side.AFTER);
    try (TestColony colony = TestColony.inMemory().model(model).killed(point).start()) {
      assertThat(ask(colony).join().output().asText()).isEqualTo("done");
      assertThat(point.struck()).isTrue();
    }
    assertThatThrownBy(() -> TestColony.onRedis("redis://127.0.0.1:1").killed(point))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void onARedisServerOfItsOwnHistoryIsThere() {
    model.expect().complete("done");
    try (TestColony colony = TestColony.onRedis().model(model).start()) {
      AgentRun run = ask(colony).join();
      assertThat(run.output().asText()).isEqualTo("done");
      AgentHandle asker = colony.spawn("asker", ASKER);
      assertThat(asker.history(Optional.empty(), 100).join().entries())
          .extracting(HistoryEntry::run)
          .contains(Optional.of(run.runId()));
    }
  }

  @Test
  void withoutAModelCallsFailInALineThatSaysWhatToDo() {
    try (TestColony colony = TestColony.inMemory().start()) {
      assertThat(ask(colony).join().error().orElseThrow())
          .contains("give the test one by Builder.model");
    }
  }

  /**
   * As on a node: what the blueprint allows, and of addresses of the machine what the node lists.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void agentsReachAServerOfTheTestWhereTheNodeListsItsHost(boolean listed) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/item",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, 3);
            exchange.getResponseBody().write("bow".getBytes(StandardCharsets.UTF_8));
          }
        });
    server.start();
    String origin = "http://127.0.0.1:" + server.getAddress().getPort();
    AgentBlueprint reader =
        AgentBlueprint.of(
                ScriptedActionPolicy.class,
                Script.of(
                    ScriptedRule.first().act("tool_use", "url", origin + "/v1/item"),
                    ScriptedRule.otherwise().complete("over")))
            .capability(
                HttpToolCapability.class, Args.allowing(HttpService.reading(origin, "items")));
    String settings = listed ? "colony.agent.http.private-hosts = [\"127.0.0.1\"]" : "";
    try (TestColony colony = TestColony.onRedis().settings(settings).start()) {
      AgentHandle agent = colony.spawn("reader", reader);
      AgentRun run = agent.run(Map.of(), OPTIONS).join();
      assertThat(run.error()).isEmpty();
      ActionView read =
          agent.history(Optional.empty(), 100).join().entries().stream()
              .filter(StepView.class::isInstance)
              .flatMap(one -> ((StepView) one).actions().stream())
              .findFirst()
              .orElseThrow();
      assertThat(read.success()).isEqualTo(listed);
      if (listed) {
        assertThat(read.output().path("body").asText()).isEqualTo("bow");
      } else {
        assertThat(read.error().orElseThrow()).contains("private-hosts does not list it");
      }
    } finally {
      server.stop(0);
    }
  }
}
