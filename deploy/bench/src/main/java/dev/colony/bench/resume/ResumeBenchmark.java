package dev.colony.bench.resume;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.bench.ProcessMemory;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Progress;
import dev.colony.server.Started;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import dev.colony.testkit.load.InstantModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * One node has agents take their steps and be suspended, and leaves. Another, which has never held
 * any of them, has them go on at an even rate: half of them by a resume command, half because what
 * they wait for comes. Before that it has as many others go on, which do not count, and both nodes
 * are actor systems of this process, so that the second one's code is compiled, as it is on a node
 * that has been up for a while. The Redis server is the benchmark's own.
 */
public final class ResumeBenchmark {

  private static final Pattern CALLS = Pattern.compile("cmdstat_[^:]+:calls=([0-9]+)");
  private static final int COLLECTIONS = 5;
  private static final int BYTES_A_STEP = 250;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Path directory;
  private final Config config;
  private final Progress progress;

  /**
   * @param directory holds the server's data, not used before; left for the caller to delete
   */
  public ResumeBenchmark(Path directory, Config config, Progress progress) {
    this.directory = directory;
    this.config = config;
    this.progress = progress;
  }

  /**
   * Blocks until everything is measured.
   *
   * @throws CommandFailure if an agent is not suspended or does not go on
   */
  public ResumeReport run(ResumeLoad load) {
    try (Started started = new Started()) {
      RedisServerProcess redis =
          RedisServerProcess.ensure(ServerSettings.fromConfig(config, directory));
      started.add(redis::stop);
      List<AgentId> warmUp = SuspendedLoad.named("warm", 2 * load.warmUp());
      List<AgentId> byWord = SuspendedLoad.named("word", load.agents());
      List<AgentId> bySignal = SuspendedLoad.named("signal", load.agents());
      long heap = putToSleep(redis, load, List.of(warmUp, byWord, bySignal));
      ResumeTimes awakenings = new ResumeTimes();
      Node node = started.add(node(redis, awakenings));
      Function<AgentId, AgentHandle> handle = id -> node.colony().agent(id);
      progress.note("waking " + load.warmUp() + " agents each way, to warm up");
      int half = load.warmUp();
      round(warmUp.subList(0, half), load, awakenings, id -> handle.apply(id).resume(""));
      round(warmUp.subList(half, warmUp.size()), load, awakenings, signal(handle));
      progress.note("waking " + load.agents() + " agents by a resume command");
      long before = commands(redis.uri());
      ResumeReport.Round words =
          round(byWord, load, awakenings, id -> handle.apply(id).resume("good morning"));
      double commandsEach = (double) (commands(redis.uri()) - before) / load.agents();
      progress.note("waking as many by what they wait for");
      ResumeReport.Round signals = round(bySignal, load, awakenings, signal(handle));
      Delays floor =
          RoundTrips.measure(
              redis.uri(), load.agents(), load.perSecond(), load.steps() * BYTES_A_STEP);
      return new ResumeReport(load, words, signals, floor, commandsEach, heap);
    }
  }

  private static Function<AgentId, CompletionStage<?>> signal(
      Function<AgentId, AgentHandle> handle) {
    return id -> handle.apply(id).signal(ResumeTypes.SIGNAL, "good morning");
  }

  /**
   * @return bytes of heap that the node has more when all of them are suspended than before them
   */
  private long putToSleep(RedisServerProcess redis, ResumeLoad load, List<List<AgentId>> agents) {
    ResumeTimes unheard = new ResumeTimes();
    try (Node node = node(redis, unheard)) {
      progress.note("having agents take " + load.steps() + " steps each");
      SuspendedLoad.putToSleep(node.colony(), agents.getFirst(), load.steps());
      long before = ProcessMemory.heapBytes();
      agents.stream()
          .skip(1)
          .forEach(more -> SuspendedLoad.putToSleep(node.colony(), more, load.steps()));
      progress.note(String.format(Locale.ROOT, "%,d steps taken", unheard.steps()));
      return ProcessMemory.heapBytes() - before;
    }
  }

  private static ResumeReport.Round round(
      List<AgentId> agents,
      ResumeLoad load,
      ResumeTimes awakenings,
      Function<AgentId, CompletionStage<?>> wake) {
    awakenings.begin(agents.size());
    new EvenRate(load.perSecond())
        .run(
            agents.size(),
            (number, due) -> {
              awakenings.due(agents.get(number), due);
              wake.apply(agents.get(number));
            });
    try {
      if (!awakenings.await(PATIENCE)) {
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL,
            "of %d agents only %d have gone on within %s"
                .formatted(agents.size(), awakenings.untilStepped().count(), PATIENCE));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
    return new ResumeReport.Round(awakenings.untilResumed(), awakenings.untilStepped());
  }

  private Node node(RedisServerProcess redis, ResumeTimes awakenings) {
    int port = LoopbackPorts.free(1).getFirst();
    return Node.start(
        NodeOptions.alone("bench-" + port, port, redis.uri(), Optional.empty(), Optional.empty()),
        config,
        Optional.of(new InstantModel()),
        awakenings);
  }

  private static long commands(String redisUri) {
    try (RedisConnections redis = new RedisConnections(redisUri, PATIENCE)) {
      String info = redis.commands().info("commandstats").toCompletableFuture().join();
      return CALLS.matcher(info).results().mapToLong(one -> Long.parseLong(one.group(1))).sum();
    }
  }
}
