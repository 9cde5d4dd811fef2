package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.cli.local.ChildNode.RestartableNodes;
import dev.colony.cli.local.Cluster.BlackboardClient;
import dev.colony.cli.local.LoopbackNodes;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Progress;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.node.Started;
import dev.colony.node.entity.AgentSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Three nodes in JVMs of their own, on a Redis server of the bench's own. In each round the node
 * with the most agents is ended, so that it is often the oldest one, which coordinates the others;
 * it is started again for the next round. Times are milliseconds until all agents that lived on the
 * node have answered a run that was asked for right after the signal.
 */
@Command(
    name = "failover",
    description = {
      "How long agents are away when their node is killed or told to leave, of three nodes.",
      "Counted until all agents that lived there have answered a new run. Then all nodes are "
          + "restarted, one after the other, while agents are asked at an even rate.",
    })
final class FailoverBench extends Bench {

  private static final int NODES = 3;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Nodes that are killed, and as many told to leave (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "60",
      description = "On all nodes together (default: ${DEFAULT-VALUE}).")
  private int agents;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "20",
      description = "Requests a second during the rolling restart (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Override
  protected void check() {
    check("--rounds", rounds, 1, 100);
    check("--agents", agents, 3, 10_000);
    check("--rate", rate, 1, 1_000);
  }

  @Override
  protected String broken() {
    return "requests failed";
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    Config config = config();
    StateDirectory state = StateDirectory.open(directory);
    Started started = new Started();
    // A command that is interrupted ends its nodes and its server too.
    OnExit interrupted = OnExit.run(started::close);
    try (started) {
      RedisServerProcess redis = redis(started, ServerSettings.fromConfig(config, state.redis()));
      RestartableNodes nodes =
          started.add(
              RestartableNodes.start(
                  state, LoopbackNodes.withoutApi(redis.uri(), configFile()).options(NODES)));
      BlackboardClient client =
          started.add(BlackboardClient.connect(redis.uri(), config, progress::note));
      List<AgentHandle> population =
          spawn(
              new BlackboardColony(
                  client.blackboards(),
                  HomeResolver.byHash(Settings.read(AgentSettings.class, config).placementUnits()),
                  Settings.read(ClientSettings.class, config)));
      ObjectNode found = Report.object().put("nodes", NODES).put("agents", agents);
      rounds(found.putObject("killed"), nodes, population, progress, RestartableNodes::kill);
      rounds(
          found.putObject("terminated"), nodes, population, progress, RestartableNodes::terminate);
      long failed = rollingRestart(found.putObject("rollingRestart"), nodes, population);
      return found.put(WHOLE, failed == 0);
    } finally {
      interrupted.close();
    }
  }

  /** Agents that say where they live. */
  private List<AgentHandle> spawn(Colony colony) {
    AgentBlueprint blueprint = AgentBlueprint.of(Blueprint.of(BenchTypes.Whereabouts.TYPE));
    List<CompletableFuture<AgentHandle>> spawned =
        IntStream.range(0, agents)
            .mapToObj(i -> new AgentId("bench", "failover", "agent-" + i))
            .map(id -> colony.spawn(id, blueprint).toCompletableFuture())
            .toList();
    return spawned.stream().map(CompletableFuture::join).toList();
  }

  /** Asks an agent for a run; completes with the process that it lives in. */
  private static CompletableFuture<Long> ask(AgentHandle agent) {
    return agent
        .run(JsonNodeFactory.instance.objectNode(), RunOptions.namespace("bench").timeout(LONGEST))
        .result()
        .toCompletableFuture()
        .thenApply(run -> {
          if (run.status() != AgentRun.Status.COMPLETED) {
            throw CommandFailure.unsuccessful(
                "run " + run.runId() + " failed: " + run.error().orElse(""));
          }
          return run.output().asLong();
        });
  }

  private static <T> T answered(CompletableFuture<T> answer) {
    try {
      return answer.join();
    } catch (CompletionException failure) {
      throw CommandFailure.unsuccessful(failure.getCause().getMessage(), failure);
    }
  }

  private void rounds(
      ObjectNode found,
      RestartableNodes nodes,
      List<AgentHandle> population,
      Progress progress,
      BiConsumer<RestartableNodes, String> end) {
    List<Double> last = new ArrayList<>();
    ArrayNode table = found.arrayNode();
    for (int round = 0; round < rounds; round++) {
      Map<Long, List<AgentHandle>> places = new TreeMap<>();
      List<CompletableFuture<Long>> where = population.stream().map(FailoverBench::ask).toList();
      for (int i = 0; i < population.size(); i++) {
        places
            .computeIfAbsent(answered(where.get(i)), any -> new ArrayList<>())
            .add(population.get(i));
      }
      String victim =
          nodes.names().stream()
              .max(Comparator.comparingInt(node -> living(places, nodes, node).size()))
              .orElseThrow();
      List<Double> millis = absence(living(places, nodes, victim), () -> end.accept(nodes, victim));
      last.add(millis.getLast());
      table
          .addObject()
          .put("node", victim)
          .put("agents", millis.size())
          .put("firstMillis", Report.rounded(millis.getFirst()))
          .put("medianMillis", Report.rounded(millis.get(millis.size() / 2)))
          .put("lastMillis", Report.rounded(millis.getLast()));
      progress.note(
          "%s has ended: its %d agents were back after %s s"
              .formatted(victim, millis.size(), Report.text(millis.getLast() / 1e3)));
      restarted(nodes, victim);
    }
    last.sort(null);
    found
        .put("medianMillis", Report.rounded(last.get(last.size() / 2)))
        .put("minMillis", Report.rounded(last.getFirst()))
        .put("maxMillis", Report.rounded(last.getLast()))
        .set("rounds", table);
  }

  private static List<AgentHandle> living(
      Map<Long, List<AgentHandle>> places, RestartableNodes nodes, String node) {
    return places.getOrDefault(nodes.process(node).pid(), List.of());
  }

  private static void restarted(RestartableNodes nodes, String node) {
    nodes.process(node).onExit().join();
    nodes.restart(node);
    nodes.awaitReady(node);
  }

  /** Ends a node; until each of its agents has answered, the shortest first. */
  private static List<Double> absence(List<AgentHandle> living, Runnable signal) {
    long begun = System.nanoTime();
    signal.run();
    List<CompletableFuture<Double>> answers =
        living.stream()
            .map(agent -> ask(agent).thenApply(process -> (System.nanoTime() - begun) / 1e6))
            .toList();
    return answers.stream().map(FailoverBench::answered).sorted().toList();
  }

  /**
   * Ends the nodes one after the other by SIGTERM and starts each again, while agents are asked at
   * an even rate, whether the earlier requests are answered or not. A request counts from when it
   * was due, so that a stall is seen by all that it delays.
   *
   * @return how many requests ended with anything but their answer
   */
  private long rollingRestart(
      ObjectNode found, RestartableNodes nodes, List<AgentHandle> population) {
    Latencies latencies = new Latencies();
    Queue<CompletableFuture<?>> asked = new ConcurrentLinkedQueue<>();
    AtomicInteger failed = new AtomicInteger();
    AtomicInteger number = new AtomicInteger();
    long begun = System.nanoTime();
    long pause = TimeUnit.SECONDS.toNanos(1) / rate;
    try (ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
      clock.scheduleAtFixedRate(
          () -> {
            int next = number.getAndIncrement();
            long due = begun + next * pause;
            asked.add(
                ask(population.get(next % population.size()))
                    .whenComplete((process, failure) -> {
                      if (failure == null) {
                        latencies.since(due);
                      } else {
                        failed.incrementAndGet();
                      }
                    }));
          },
          0,
          pause,
          TimeUnit.NANOSECONDS);
      nodes
          .names()
          .forEach(node -> {
            nodes.terminate(node);
            restarted(nodes, node);
          });
    }
    asked.forEach(one -> one.handle((process, failure) -> null).join());
    found
        .put("requests", number.get())
        .put("failed", failed.get())
        .put("perSecond", rate)
        .put("seconds", Report.rounded((System.nanoTime() - begun) / 1e9));
    latencies.addTo(found);
    return failed.get();
  }
}
