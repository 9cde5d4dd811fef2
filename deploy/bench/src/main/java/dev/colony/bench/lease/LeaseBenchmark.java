package dev.colony.bench.lease;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.local.LoopbackNodes;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.InferenceGateway;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.server.Started;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * Three nodes in this process, a cluster with embedded replicas that take the time of an engine,
 * and agents whose prompts together are several times the replicas' caches: in each mode the same
 * ones, on a cluster and a Redis server that are new. It ends what it started.
 */
public final class LeaseBenchmark {

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
        max-batched-tokens = 512
        time {
          factor = 1
          prefill-tokens-per-second = 3000
          attention-tokens = 50000
          decode-step = 12ms
          decode-per-call = 200us
          decode-per-1000-tokens = 100us
        }
      }
      colony.inference.gateway.max-concurrent-per-replica = %d
      colony.agent.capacity.kv-tokens = 2000000000
      colony.vcm.leases { enabled = %s, bound = 60s }
      """;

  private final Path directory;
  private final Optional<Path> configFile;
  private final Progress progress;

  /**
   * @param directory holds data and settings, not used before; left for the caller to delete
   * @param configFile overrides the benchmark's settings too, but for whether there are leases
   */
  public LeaseBenchmark(Path directory, Optional<Path> configFile, Progress progress) {
    this.directory = directory;
    this.configFile = configFile;
    this.progress = progress;
  }

  /**
   * Blocks until all modes are measured.
   *
   * @throws dev.colony.cli.exit.CommandFailure if a node does not start or an agent fails
   */
  public LeaseReport run(LeaseLoad load, List<Mode> modes) {
    int blockTokens =
        EmbeddedReplicaSettings.fromConfig(CommandConfig.base(configFile)).blockTokens();
    int blocks = load.cacheBlocks(NODES, blockTokens);
    List<LeaseReport.Round> rounds = new ArrayList<>();
    for (Mode mode : modes) {
      LeaseReport.Round round = round(mode, load, blocks, blockTokens);
      progress.done(
          mode.toString(),
          String.format(Locale.ROOT, "a session took %.1f s", round.sessionSeconds()));
      rounds.add(round);
    }
    return new LeaseReport(load, NODES, blocks, rounds);
  }

  private LeaseReport.Round round(Mode mode, LeaseLoad load, int blocks, int blockTokens) {
    Path own = directory.resolve(mode.name().toLowerCase(Locale.ROOT));
    Path file = settings(own, mode, blocks, blockTokens);
    Config config = CommandConfig.base(Optional.of(file));
    Started started = new Started();
    Thread interrupted = new Thread(started::close, "interrupted");
    Runtime.getRuntime().addShutdownHook(interrupted);
    try (started) {
      RedisServerProcess redis =
          RedisServerProcess.ensure(ServerSettings.fromConfig(config, own.resolve("redis")));
      started.add(redis::stop);
      AtomicInteger next = new AtomicInteger();
      UnaryOperator<InferenceGateway> around =
          mode == Mode.IN_TURN ? gateway -> new InTurn(gateway, next) : UnaryOperator.identity();
      List<Node> nodes =
          nodes(
              LoopbackNodes.withoutApi(redis.uri(), Optional.of(file)).options(NODES),
              config,
              around,
              started);
      return new LeaseRound(nodes, load).run(mode);
    } finally {
      forget(interrupted);
    }
  }

  /** They become members together, so each is started by a thread of its own. */
  private static List<Node> nodes(
      List<NodeOptions> options,
      Config config,
      UnaryOperator<InferenceGateway> around,
      Started started) {
    List<CompletableFuture<Node>> starting = new ArrayList<>();
    for (NodeOptions one : options) {
      CompletableFuture<Node> node = new CompletableFuture<>();
      starting.add(node);
      Thread.ofPlatform()
          .name("start-" + one.name())
          .start(() -> {
            try {
              node.complete(started.add(Node.start(one, config, around)));
            } catch (RuntimeException failure) {
              node.completeExceptionally(failure);
            }
          });
    }
    CompletableFuture.allOf(starting.toArray(CompletableFuture[]::new))
        .exceptionally(any -> null)
        .join();
    return starting.stream().map(LeaseBenchmark::started).toList();
  }

  private static Node started(CompletableFuture<Node> node) {
    try {
      return node.join();
    } catch (java.util.concurrent.CompletionException failure) {
      throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
    }
  }

  private Path settings(Path own, Mode mode, int blocks, int blockTokens) {
    StringBuilder text =
        new StringBuilder(
            ENGINE.formatted(
                blocks, blocks * blockTokens, CALLS_AT_ONCE, CALLS_AT_ONCE, mode == Mode.LEASES));
    configFile.ifPresent(file ->
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

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // it runs already and does its work
    }
  }
}
