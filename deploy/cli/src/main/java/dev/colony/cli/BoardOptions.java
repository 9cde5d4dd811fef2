package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.BlackboardClient;
import dev.colony.cli.local.JournalClient;
import dev.colony.cli.local.RedisServer;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.server.agents.AgentsReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which blackboard a command works on. */
final class BoardOptions {

  /** Under which name the command line writes where no other is given. */
  static final String WRITER = "cli";

  private static final int MOST_AT_ONCE = 10_000;

  @Option(
      names = "--redis-url",
      paramLabel = "URL",
      description =
          "For example redis://127.0.0.1:6379; default: the Redis of the cluster that is up, else "
              + "COLONY_REDIS_URL, else a server of ours that runs in the state directory.")
  private String redisUrl;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "HOCON whose keys override the defaults of the reference.conf files.")
  private Path configFile;

  @Mixin private StateOption stateOption;

  /** Does something with the blackboards and closes them. */
  <T> T with(Function<Blackboards, T> work) {
    try (BlackboardClient client = connect()) {
      return work.apply(client.blackboards());
    }
  }

  /** Does something with the agents that have their blackboard and their journal there. */
  <T> T withAgents(Function<AgentsReader, T> work) {
    return withAgents((view, colony) -> work.apply(view));
  }

  /**
   * Does something with the agents as they are stored, also where nothing is up: then the Redis
   * server of the state directory runs as long as this takes.
   *
   * @param work is told whether anything is up
   */
  <T> T withStored(BiFunction<AgentsReader, Boolean, T> work) {
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "agents");
    Config config = config();
    if (redisUrl != null
        || RedisServer.find(state, config).isPresent()
        || RedisServerProcess.uriOf(state.redis()).isEmpty()) {
      return withAgents(view -> work.apply(view, true));
    }
    return state.locked(
        "colony runs",
        () -> {
          RedisServer redis = RedisServer.ensure(state, config);
          try {
            return withAgents(redis.uri(), (view, colony) -> work.apply(view, false));
          } finally {
            redis.stop();
          }
        });
  }

  /** The same, where they are told something, too. */
  <T> T withAgents(BiFunction<AgentsReader, Colony, T> work) {
    return withAgents(url("agents"), work);
  }

  private <T> T withAgents(String url, BiFunction<AgentsReader, Colony, T> work) {
    Config config = config();
    try (BlackboardClient client = BlackboardClient.connect(url, config, BoardOptions::note);
        JournalClient journal = JournalClient.connect(url, config)) {
      AgentsReader view = new AgentsReader(client.blackboards(), journal.reader(), config);
      return work.apply(
          view,
          new BlackboardColony(
              client.blackboards(),
              HomeResolver.byHash(config.getInt("colony.agent.placement-units")),
              ClientSettings.fromConfig(config),
              view::history));
    }
  }

  /** Asks the blackboard of a scope for something, as the command line, and waits for it. */
  <T> T ask(Scope scope, Function<Blackboard, CompletionStage<T>> question) {
    return with(blackboards ->
        question.apply(blackboards.open(scope, WRITER)).toCompletableFuture().join());
  }

  Optional<Path> configFile() {
    return Optional.ofNullable(configFile);
  }

  StateDirectory state() {
    return stateOption.open();
  }

  /** Whether another Redis is meant than the one of the state directory. */
  boolean elsewhere() {
    return redisUrl != null;
  }

  /** The options that name the same cluster in another command. */
  String again() {
    return stateOption.again()
        + (redisUrl == null ? "" : " --redis-url " + StateOption.word(redisUrl))
        + (configFile == null ? "" : " --config " + StateOption.word(configFile.toString()));
  }

  Config config() {
    if (configFile != null && !Files.isReadable(configFile)) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--config " + configFile + ": cannot be read");
    }
    return CommandConfig.base(Optional.ofNullable(configFile));
  }

  private BlackboardClient connect() {
    return BlackboardClient.connect(url("board"), config(), BoardOptions::note);
  }

  private String url(String command) {
    StateDirectory state = stateOption.open();
    CommandLog.into(state, command);
    return Optional.ofNullable(redisUrl)
        .or(() -> RedisServer.find(state, config()))
        .orElseThrow(() ->
            new CommandFailure(
                ExitCode.REDIS_UNAVAILABLE,
                ("nothing is up in %s: call colony up, set COLONY_REDIS_URL or give"
                        + " --redis-url")
                    .formatted(state.root())));
  }

  /** Says something on standard error that is no failure. */
  static void note(String line) {
    System.err.println("colony: " + line);
  }

  /** Says that what a person gave is bad input where the blackboard's own rules refuse it. */
  static <T> T refusing(Supplier<T> call) {
    try {
      return call.get();
    } catch (IllegalArgumentException bad) {
      throw new CommandFailure(ExitCode.BAD_INPUT, bad.getMessage(), bad);
    }
  }

  /** That no more is asked for at once than memory takes. */
  static void checkLimit(int limit) {
    if (limit < 1 || limit > MOST_AT_ONCE) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "--limit is %d, but must be 1 to %d".formatted(limit, MOST_AT_ONCE));
    }
  }
}
