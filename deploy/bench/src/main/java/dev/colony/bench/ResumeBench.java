package dev.colony.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Progress;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.Started;
import dev.colony.server.node.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * One node has agents take their steps and be suspended, and leaves. Another, which has never held
 * any of them, has them go on at an even rate: half of them by a resume command, half because what
 * they wait for comes. Before that it has as many others go on, which do not count, and both nodes
 * are actor systems of this process, so that the second one's code is compiled, as it is on a node
 * that has been up for a while. The Redis server is the bench's own.
 */
@Command(
    name = "resume",
    description = {
      "How soon suspended agents go on, on a node that has never held them.",
      "Counted from when the signal was to be written until it is durable that the agent runs, and "
          + "until its next step is; beside it the bare round trips to the same Redis.",
    })
final class ResumeBench extends Bench {

  private static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of(BenchTypes.Sleeper.TYPE), Blueprint.of(BenchTypes.Diary.TYPE));
  private static final int MOST_WARM_UP = 1_000;
  private static final int ASLEEP_AT_ONCE = 200;
  private static final int BYTES_A_STEP = 250;
  private static final int RECORD_BYTES = 200;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(20);

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "Resumed by a resume command, and as many by what they wait for (default: "
              + "${DEFAULT-VALUE}).")
  private int agents;

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "50",
      description = "That each agent has behind it (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "100",
      description = "Agents resumed in a second (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Override
  protected void check() {
    check("--agents", agents, 1, 100_000);
    check("--steps", steps, 1, 900);
    check("--rate", rate, 1, 10_000);
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    try (Started started = new Started()) {
      RedisServerProcess redis = redis(started, ServerSettings.fromConfig(config(), directory));
      int few = Math.min(MOST_WARM_UP, agents);
      List<AgentId> warmUp = named("warm", 2 * few);
      List<AgentId> byWord = named("word", agents);
      List<AgentId> bySignal = named("signal", agents);
      try (Node node = node(redis, config(), StepListener.NONE)) {
        progress.note("having agents take " + steps + " steps each");
        List.of(warmUp, byWord, bySignal).forEach(group -> putToSleep(node.colony(), group));
      }
      Awakenings awakenings = new Awakenings();
      Node node = started.add(node(redis, config(), awakenings));
      Function<AgentId, CompletionStage<?>> word = id -> node.colony().agent(id).resume("");
      Function<AgentId, CompletionStage<?>> signal =
          id -> node.colony().agent(id).signal(BenchTypes.SIGNAL, "good morning");
      ObjectNode found =
          Report.object().put("agents", agents).put("steps", steps).put("perSecond", rate);
      progress.note("waking " + few + " agents each way, to warm up");
      round(warmUp.subList(0, few), awakenings, word);
      round(warmUp.subList(few, warmUp.size()), awakenings, signal);
      progress.note("waking " + agents + " agents by a resume command");
      round(byWord, awakenings, word);
      awakenings.addTo(found, "byWord");
      progress.note("waking as many by what they wait for");
      round(bySignal, awakenings, signal);
      awakenings.addTo(found, "bySignal");
      floor(redis.uri()).addTo(found.putObject("floor"));
      return found;
    }
  }

  private static List<AgentId> named(String prefix, int many) {
    return IntStream.range(0, many)
        .mapToObj(number -> new AgentId("bench", "resume", prefix + "-" + number))
        .toList();
  }

  /** Spawns them and waits until each has taken its steps and is suspended. */
  private void putToSleep(Colony colony, List<AgentId> group) {
    for (int i = 0; i < group.size(); i++) {
      AgentHandle agent = colony.spawn(group.get(i), BLUEPRINT).toCompletableFuture().join();
      agent.run(
          JsonNodeFactory.instance.objectNode().put("steps", steps),
          // no caller waits for the result: what waiting takes is the caller's, not the agents'
          RunOptions.namespace("bench").runId(new RunId("night")).timeout(PAUSE));
      if (i >= ASLEEP_AT_ONCE) {
        awaitAsleep(colony, group.get(i - ASLEEP_AT_ONCE));
      }
    }
    group.forEach(agent -> awaitAsleep(colony, agent));
  }

  private static void awaitAsleep(Colony colony, AgentId agent) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!asleep(colony.agent(agent))) {
      if (System.nanoTime() > end) {
        throw CommandFailure.unsuccessful(agent + " is not suspended after " + PATIENCE);
      }
      try {
        TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
      } catch (InterruptedException interrupted) {
        throw ClosedLoop.interrupted(interrupted);
      }
    }
  }

  private static boolean asleep(AgentHandle agent) {
    Optional<AgentStatus> status = agent.state().toCompletableFuture().join();
    return status.filter(known -> known.state() == AgentState.SUSPENDED).isPresent();
  }

  private void round(
      List<AgentId> group, Awakenings awakenings, Function<AgentId, CompletionStage<?>> wake) {
    awakenings.begin(group.size());
    new OpenLoop(rate)
        .run(
            0,
            group.size(),
            (number, due) -> {
              awakenings.dueNanos.put(group.get(number), due);
              return wake.apply(group.get(number));
            });
    try {
      if (!awakenings.left.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw CommandFailure.unsuccessful(
            "of %d agents only %d have gone on within %s"
                .formatted(group.size(), awakenings.stepped.count(), PATIENCE));
      }
    } catch (InterruptedException interrupted) {
      throw ClosedLoop.interrupted(interrupted);
    }
  }

  /**
   * When agents were to go on, and how long it took until that was durable and until their next
   * step was. Hears of all steps of its node; those of agents that are not awaited do not count.
   * Thread-safe.
   */
  private static final class Awakenings implements StepListener {

    private final Map<AgentId, Long> dueNanos = new ConcurrentHashMap<>();
    private volatile Latencies resumed = new Latencies();
    private volatile Latencies stepped = new Latencies();
    private volatile CountDownLatch left = new CountDownLatch(0);

    void begin(int agents) {
      resumed = new Latencies();
      stepped = new Latencies();
      left = new CountDownLatch(agents);
    }

    @Override
    public void resumed(AgentId agent) {
      Long due = dueNanos.get(agent);
      if (due != null) {
        resumed.since(due);
      }
    }

    @Override
    public void stepCompleted(AgentId agent, Duration took) {
      Long due = dueNanos.remove(agent);
      if (due != null) {
        stepped.since(due);
        left.countDown();
      }
    }

    void addTo(ObjectNode found, String name) {
      resumed.addTo(found.putObject(name));
      stepped.addTo(found.putObject(name + "ToNextStep"));
    }
  }

  /**
   * The least that a resumption can take: the round trips that none can do without, one after the
   * other, with nothing around them. Two are writes: the signal, and that the agent is claimed and
   * runs. Three are reads: of the inbox, the directory, and the snapshot with the end of the log.
   */
  private Latencies floor(String redisUri) {
    Latencies latencies = new Latencies();
    try (RedisConnections redis = new RedisConnections(redisUri, PATIENCE)) {
      write(redis, "bench:snapshot", steps * BYTES_A_STEP).join();
      new OpenLoop(rate)
          .run(
              0,
              agents,
              (number, due) ->
                  write(redis, "bench:" + number, RECORD_BYTES)
                      .thenCompose(done -> redis.commands().get("bench:snapshot"))
                      .thenCompose(done -> redis.commands().get("bench:snapshot"))
                      .thenCompose(done -> redis.commands().get("bench:snapshot"))
                      .thenCompose(done -> write(redis, "bench:" + number, RECORD_BYTES))
                      .thenRun(() -> latencies.since(due)));
    }
    return latencies;
  }

  private static CompletableFuture<?> write(RedisConnections redis, String key, int bytes) {
    return redis.commands().set(key, new byte[bytes]).toCompletableFuture();
  }
}
