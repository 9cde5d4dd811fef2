package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.Started;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.testkit.InstantModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Redis holds for each agent, run, step and entry is what docs/operations/operations.md says.
 */
@Tag("faults")
class StoredBytesTest {

  private static final int AGENTS = 500;
  private static final int STEPS = 20;
  private static final int ENTRIES = 2_000;
  private static final int PAYLOAD = 1_024;
  private static final Percentage TOLERANCE = Percentage.withPercentage(25);
  private static final Pattern ROW = Pattern.compile("\\| ([a-z][^|]*?) \\| ([\\d,]+) bytes \\|.*");

  @TempDir private Path folder;

  private final Started started = new Started();
  private final Map<String, Long> measured = new LinkedHashMap<>();
  private RedisConnections redis;
  private Node node;

  @Test
  void areAsTheyAreDescribed() throws IOException {
    try (started) {
      start();
      List<AgentHandle> agents =
          IntStream.range(0, AGENTS)
              .mapToObj(i -> new AgentId("acme", "size", "a-" + i))
              .map(id -> node.colony().spawn(id, blueprint(1)).toCompletableFuture())
              .toList()
              .stream()
              .map(CompletableFuture::join)
              .toList();
      measured.put("an agent that has been spawned", per(AGENTS));
      run(agents, "first");
      measured.put("its first run, of one step", per(AGENTS));
      run(agents, "second");
      long shortRun = per(AGENTS);
      measured.put("a further run, of one step", shortRun);
      List<AgentHandle> longer =
          IntStream.range(0, AGENTS)
              .mapToObj(i -> new AgentId("acme", "size", "b-" + i))
              .map(id -> node.colony().spawn(id, blueprint(STEPS)).toCompletableFuture())
              .toList()
              .stream()
              .map(CompletableFuture::join)
              .toList();
      run(longer, "first");
      per(AGENTS);
      run(longer, "second");
      measured.put("a further step", (per(AGENTS) - shortRun) / (STEPS - 1));
      Blackboard board =
          started
              .add(new RedisBlackboards(redis, BlackboardSettings.fromConfig(config())))
              .open(Scope.colony("acme", "entries"), "test");
      all(
          ENTRIES,
          i -> board.write(Write.value("k" + i, "x".repeat(PAYLOAD))).toCompletableFuture());
      measured.put("an entry, with its event", per(ENTRIES));
    }
    System.out.println(measured);
    assertThat(measured).containsOnlyKeys(described().keySet());
    described()
        .forEach(
            (what, bytes) -> assertThat(measured.get(what)).as(what).isCloseTo(bytes, TOLERANCE));
  }

  private static Config config() {
    return LocalNodes.config("colony.agent.snapshot-every = 100000");
  }

  private void start() {
    RedisServerProcess server =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config(), folder.resolve("redis")));
    started.add(server::stop);
    redis = started.add(new RedisConnections(server.uri(), Duration.ofSeconds(20)));
    node =
        started.add(
            Node.start(
                NodeOptions.alone(
                    "node",
                    LoopbackPorts.free(1).getFirst(),
                    server.uri(),
                    Optional.empty(),
                    Optional.empty()),
                config(),
                Optional.of(new InstantModel()),
                StepListener.NONE));
    per(1);
  }

  private static AgentBlueprint blueprint(int steps) {
    return AgentBlueprint.of(
        new Blueprint(
            "bench.steps",
            JsonNodeFactory.instance.objectNode().put("steps", steps).put("payloadBytes", PAYLOAD)),
        Blueprint.of("bench.notes"));
  }

  private static void run(List<AgentHandle> agents, String name) {
    all(
        agents.size(),
        i ->
            agents
                .get(i)
                .run(
                    JsonNodeFactory.instance.objectNode(),
                    RunOptions.namespace("size")
                        .runId(new RunId(name + "-" + agents.get(i).id().name())))
                .result()
                .thenAccept(run -> assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED))
                .toCompletableFuture());
  }

  private static void all(int count, Function<Integer, CompletableFuture<?>> call) {
    List<CompletableFuture<?>> calls =
        IntStream.range(0, count).boxed().<CompletableFuture<?>>map(call::apply).toList();
    calls.forEach(CompletableFuture::join);
  }

  private long before;

  /** What has been added since the last question, for each of so many. */
  private long per(int count) {
    String info = redis.commands().info("memory").toCompletableFuture().join();
    long now =
        info.lines()
            .filter(line -> line.startsWith("used_memory_dataset:"))
            .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
            .findFirst()
            .orElseThrow();
    long added = (now - before) / count;
    before = now;
    return added;
  }

  private static Map<String, Long> described() throws IOException {
    Map<String, Long> rows = new LinkedHashMap<>();
    Matcher row =
        ROW.matcher(Files.readString(ProjectRoot.find().resolve("docs/operations/operations.md")));
    while (row.find()) {
      rows.put(row.group(1), Long.parseLong(row.group(2).replace(",", "")));
    }
    return rows;
  }
}
