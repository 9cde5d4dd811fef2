package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.LoopbackNodes;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptCaches;
import dev.colony.node.Started;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.server.node.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Three nodes in this process, a cluster with embedded replicas that take the time of an engine,
 * and agents whose prompts together are several times the replicas' caches: in each mode the same
 * ones, on a cluster and a Redis server that are new. It ends what it started.
 */
@Command(
    name = "leases",
    description = {
      "How long agents' sessions take whose prompts together are several times the caches of "
          + "three nodes' replicas: with leases, with each call routed by what it costs, and with "
          + "calls that go to the replicas in turn.",
      "The nodes are in this process, and the replicas take the time of an engine. A session is "
          + "counted from when its agent was asked until it had ended; a wait from when a turn "
          + "could begin until it was answered.",
    })
final class LeasesBench extends Bench {

  private static final int NODES = 3;
  private static final int CALLS_AT_ONCE = 16;

  /**
   * An engine whose prompts take about as long, in proportion to pauses, as those of large models.
   */
  private static final String ENGINE =
      """
      colony.inference.embedded {
        capacity-blocks = %d
        context-tokens = %d
        max-running = %d
        time.factor = 4
      }
      colony.inference.gateway.max-concurrent-per-replica = %d
      colony.agent.capacity.kv-tokens = 2000000000
      colony.vcm.leases { enabled = %s, bound = 60s }
      """;

  enum Mode {
    /** Agents need leases to work, and call the replicas that these are at. */
    LEASES,
    /** Each call goes where it costs the fewest seconds, by what the caches are known to hold. */
    ROUTED,
    /** Calls go to the replicas in turn. */
    IN_TURN;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "60",
      description = "On all nodes together (default: ${DEFAULT-VALUE}).")
  private int agents;

  @Option(
      names = "--turns",
      paramLabel = "N",
      defaultValue = "6",
      description = "Of each agent (default: ${DEFAULT-VALUE}).")
  private int turns;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      defaultValue = "2400",
      description = "Of an agent's first prompt (default: ${DEFAULT-VALUE}).")
  private int tokens;

  @Option(
      names = "--pause",
      paramLabel = "MILLIS",
      defaultValue = "2000",
      description = "Between two turns, on average (default: ${DEFAULT-VALUE}).")
  private int pause;

  @Option(
      names = "--overcommit",
      paramLabel = "X",
      defaultValue = "3",
      description = "By how much the prompts exceed the caches (default: ${DEFAULT-VALUE}).")
  private double overcommit;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of texts and pauses (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--modes",
      paramLabel = "MODE",
      split = ",",
      defaultValue = "leases,routed,in_turn",
      description = "By what replicas are chosen (default: ${DEFAULT-VALUE}).")
  private List<Mode> modes;

  @Override
  protected void check() {
    check("--agents", agents, 3, 10_000);
    check("--turns", turns, 2, 100);
    check("--tokens", tokens, 100, 100_000);
    check("--pause", pause, 0, 600_000);
    if (!(overcommit >= 0.1 && overcommit * 9 <= agents)) {
      throw CommandFailure.badInput(
          "--overcommit is %s, but must be 0.1 to a ninth of --agents".formatted(overcommit));
    }
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    LeaseRound.Load load =
        new LeaseRound.Load(
            agents, turns, tokens / 8, tokens, tokens / 10, pause, 2 * pause, overcommit, seed);
    int blockTokens = EmbeddedReplicaSettings.BLOCK_TOKENS;
    int blocks = load.cacheBlocks(NODES, blockTokens);
    ObjectNode found =
        Report.object()
            .put("nodes", NODES)
            .put("agents", agents)
            .put("turns", turns)
            .put("workingSetTokens", load.workingSetTokens())
            .put("cacheBlocks", blocks)
            .put("overcommit", overcommit)
            .put("seed", seed);
    for (Mode mode : modes) {
      progress.note("calls go by " + mode.word());
      ObjectNode round = found.withArray("/rounds").addObject().put("mode", mode.word());
      round.setAll(round(mode, load, directory.resolve(mode.word()), blocks, blockTokens));
    }
    return found;
  }

  private ObjectNode round(Mode mode, LeaseRound.Load load, Path own, int blocks, int blockTokens) {
    Path file = settings(own, mode, blocks, blockTokens);
    Config config = CommandConfig.base(Optional.of(file));
    Started started = new Started();
    OnExit interrupted = OnExit.run(started::close);
    try (started) {
      RedisServerProcess redis =
          redis(started, ServerSettings.fromConfig(config, own.resolve("redis")));
      AtomicInteger next = new AtomicInteger();
      UnaryOperator<InferenceGateway> around =
          mode == Mode.IN_TURN ? gateway -> new InTurn(gateway, next) : UnaryOperator.identity();
      return new LeaseRound(
              nodes(
                  started,
                  LoopbackNodes.withoutApi(redis.uri(), Optional.of(file)).options(NODES),
                  one -> Node.start(one, config, around)),
              load)
          .run();
    } finally {
      interrupted.close();
    }
  }

  private Path settings(Path own, Mode mode, int blocks, int blockTokens) {
    StringBuilder text =
        new StringBuilder(
            ENGINE.formatted(
                blocks, blocks * blockTokens, CALLS_AT_ONCE, CALLS_AT_ONCE, mode == Mode.LEASES));
    configFile()
        .ifPresent(file ->
            text.append("include required(file(")
                .append(ConfigUtil.quoteString(file.toAbsolutePath().toString()))
                .append("))\n"));
    text.append("colony.vcm.leases.enabled = ").append(mode == Mode.LEASES).append('\n');
    try {
      Files.createDirectories(own);
      return Files.writeString(own.resolve("bench.conf"), text);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot write to " + own, failure);
    }
  }

  /**
   * Sends calls to the replicas in turn, as a load balancer does that knows nothing of prompts. One
   * that takes no calls is passed over by the gateway behind it.
   *
   * @param next counts the calls of all nodes
   */
  private record InTurn(InferenceGateway gateway, AtomicInteger next) implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      List<String> replicas =
          gateway.promptCaches().stream()
              .flatMap(caches -> caches.caches().stream())
              .map(PromptCaches.Cache::replica)
              .sorted()
              .toList();
      Optional<String> replica =
          replicas.isEmpty()
              ? Optional.empty()
              : Optional.of(replicas.get(Math.floorMod(next.getAndIncrement(), replicas.size())));
      return gateway.complete(request.context(request.context().replica(replica)), parts);
    }

    @Override
    public Optional<PromptCaches> promptCaches() {
      return gateway.promptCaches();
    }

    @Override
    public void close() {}
  }
}
