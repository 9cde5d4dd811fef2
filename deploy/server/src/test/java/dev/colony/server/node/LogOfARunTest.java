package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.Started;
import dev.colony.testkit.InstantModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The log of a node, as its own configuration writes it, says which run a line is about. */
class LogOfARunTest {

  private static final AgentId AGENT = new AgentId("acme", "log", "talker");
  private static final RunId RUN = new RunId("r-1");
  private static final List<String> OF_THE_RUN =
      List.of(TalkerTypes.PLANNING, TalkerTypes.BLOCKING, TalkerTypes.COMPUTING);

  private final PrintStream out = System.out;

  @TempDir private Path folder;

  @AfterEach
  void logAsBefore() {
    System.setOut(out);
    configure("text");
  }

  private static void configure(String format) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    context.putProperty("COLONY_LOG_FORMAT", format);
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    try {
      configurator.doConfigure(LogOfARunTest.class.getClassLoader().getResource("logback.xml"));
    } catch (JoranException broken) {
      throw new IllegalStateException(broken);
    }
  }

  /** The lines that a node logs in this form from its start until a run and what is beside it. */
  private List<String> logged(String format) {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setOut(new PrintStream(log, true, StandardCharsets.UTF_8));
    configure(format);
    try (Started started = new Started()) {
      Node node = start(started);
      node.colony()
          .spawn(AGENT, TalkerTypes.BLUEPRINT)
          .toCompletableFuture()
          .join()
          .run(JsonNodeFactory.instance.objectNode(), RunOptions.namespace("log").runId(RUN))
          .result()
          .toCompletableFuture()
          .orTimeout(60, TimeUnit.SECONDS)
          .join();
      await().until(() -> log.toString(StandardCharsets.UTF_8).contains(TalkerTypes.BESIDE));
    }
    return log.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private Node start(Started started) {
    Config config = LocalNodes.config("");
    RedisServerProcess redis = LocalNodes.redis(started, config, folder);
    int port = LoopbackPorts.free(1).getFirst();
    NodeOptions options =
        NodeOptions.alone("node", port, redis.uri(), Optional.empty(), Optional.empty());
    return started.add(
        Node.start(options, config, Optional.of(new InstantModel()), StepListener.NONE));
  }

  @Test
  void jsonNamesAgentAndRun() throws IOException {
    JsonMapper json = new JsonMapper();
    List<String> lines = logged("json");
    for (String line : lines) {
      JsonNode event = json.readTree(line);
      JsonNode names = event.path("mdc");
      String message = event.path("formattedMessage").asText();
      boolean ofTheRun = OF_THE_RUN.contains(message);
      boolean ofTheAgent = ofTheRun || message.equals(TalkerTypes.BESIDE);
      assertThat(names.path("agent").asText())
          .as(line)
          .isEqualTo(ofTheAgent ? AGENT.toString() : "");
      assertThat(names.path("run").asText()).as(line).isEqualTo(ofTheRun ? RUN.value() : "");
    }
    assertThat(lines)
        .extracting(line -> json.readTree(line).path("formattedMessage").asText())
        .containsAll(OF_THE_RUN)
        .contains(TalkerTypes.BESIDE)
        .anyMatch(message -> message.startsWith("node is up"));
  }

  @Test
  void textNamesThemWhereThereAreSome() {
    String logger = " d.c.server.node.TalkerTypes";
    List<String> lines = logged("text");
    for (String message : OF_THE_RUN) {
      assertThat(lines)
          .anyMatch(line -> line.endsWith(logger + " [" + AGENT + " r-1] - " + message));
    }
    assertThat(lines)
        .anyMatch(line -> line.endsWith(logger + " [" + AGENT + "] - " + TalkerTypes.BESIDE))
        .anyMatch(line -> line.contains("dev.colony.server.node.Node - node is up"));
  }
}
