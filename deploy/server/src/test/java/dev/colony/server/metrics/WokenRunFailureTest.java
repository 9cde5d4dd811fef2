package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.client.session.ResultPublisher.FailedWokenRun;
import dev.colony.node.Started;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.testkit.InstantModel;
import dev.colony.testkit.StepsBench;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * A run that events have started fails on a node. No caller waits for it, so that an operator is
 * told in four ways.
 */
class WokenRunFailureTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "watcher");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Started started = new Started();
  private final List<ILoggingEvent> logged = new CopyOnWriteArrayList<>();

  @AfterEach
  void end() {
    started.close();
  }

  @Test
  void itIsCountedLoggedShownAndMadeKnown(@TempDir Path folder) throws Exception {
    Config config = LocalNodes.config("");
    RedisServerProcess redis = LocalNodes.redis(started, config, folder);
    Node node = node(config, redis);
    RedisConnections connections =
        started.add(new RedisConnections(redis.uri(), RedisSettings.fromConfig(config)));
    RedisBlackboards boards =
        started.add(new RedisBlackboards(connections, BlackboardSettings.fromConfig(config)));
    Scope scope = AGENT.scope().namespace("desk");
    join(node.colony().spawn(AGENT, FailerTypes.wokenIn(scope)));
    listen();
    join(boards.open(scope, "someone").write(Write.value("alarm:1", "hot")));

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(
                    Exposition.of(node.metrics().text())
                        .value("colony_runs_ended_total{origin=\"events\",status=\"failed\"}"))
                .isEqualTo(1));
    assertThat(
            Exposition.of(node.metrics().text())
                .value("colony_runs_ended_total{origin=\"request\",status=\"failed\"}"))
        .isZero();

    await().atMost(PATIENCE).until(() -> !logged.isEmpty());
    assertThat(logged)
        .singleElement()
        .satisfies(line -> {
          assertThat(line.getLevel()).isEqualTo(Level.WARN);
          assertThat(line.getFormattedMessage())
              .contains("of agent acme/lab/watcher, which events have started, has failed")
              .contains(FailerTypes.REASON);
          assertThat(line.getMDCPropertyMap()).containsEntry("agent", "acme/lab/watcher");
        });

    JsonNode shown = get(node.api() + "/v1/tenants/acme/colonies/lab/agents/watcher");
    assertThat(shown.path("lastFailure").path("reason").asText()).contains(FailerTypes.REASON);

    List<BlackboardEvent> events =
        join(
            boards
                .open(FailedWokenRun.scope(AGENT), "operator")
                .history(EventFilter.keys(FailedWokenRun.KEY), Position.BEGINNING, 10));
    assertThat(events)
        .singleElement()
        .isInstanceOfSatisfying(
            BlackboardEvent.Written.class,
            written ->
                assertThat(written.value().path("runId"))
                    .isEqualTo(shown.path("lastFailure").path("runId")));
  }

  private Node node(Config config, RedisServerProcess redis) {
    NodeOptions options =
        new NodeOptions(
            "node-1",
            Listening.at("127.0.0.1", LoopbackPorts.free(1).getFirst()),
            new Joining.Alone(),
            1,
            OptionalInt.of(0),
            redis.uri(),
            Optional.empty(),
            Optional.empty());
    return started.add(
        Node.start(
            options, config, Optional.of(new InstantModel()), new StepsBench.StepLatencies()));
  }

  @Test
  void aRunThatComesNearToItsBoundIsCountedOnce(@TempDir Path folder) throws Exception {
    Config config = LocalNodes.config("");
    Node node = node(config, LocalNodes.redis(started, config, folder));
    join(node.colony().spawn(AGENT, FailerTypes.circling()));
    AgentRun run =
        node.colony().agent(AGENT).run("go", RunOptions.namespace("desk")).result().join();
    assertThat(run.error()).contains("the run took 12 iterations, as many as it may");
    assertThat(
            Exposition.of(node.metrics().text())
                .value("colony_runs_struggles_total{kind=\"limit_near\"}"))
        .isEqualTo(1);
  }

  /** To what is said of failed runs, from here on. */
  private void listen() {
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            if (event.getFormattedMessage().contains("has failed")) {
              event.getMDCPropertyMap();
              logged.add(event);
            }
          }
        };
    Logger root = (Logger) LoggerFactory.getLogger("dev.colony");
    appender.setContext(root.getLoggerContext());
    appender.start();
    root.addAppender(appender);
    started.add(() -> root.detachAppender(appender));
  }

  private static JsonNode get(String uri) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return JsonMapper.builder()
          .build()
          .readTree(
              client
                  .send(HttpRequest.newBuilder(URI.create(uri)).build(), BodyHandlers.ofString())
                  .body());
    }
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }
}
