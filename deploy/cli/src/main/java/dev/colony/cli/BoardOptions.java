package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.settings.Settings;
import dev.colony.cli.CommandOptions.KeyOption;
import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskRecord.StartedWith;
import dev.colony.cli.local.Cluster.BlackboardClient;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.RedisServer;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.http.HttpColony;
import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.journal.Journal;
import dev.colony.server.AgentsReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
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

  private Config config; // read once: a good part of the time that a command takes

  @Mixin private StateOption stateOption;

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
   * server of the state directory runs as long as this takes. Empty where nothing was ever stored.
   *
   * @param work is told whether anything is up
   */
  <T> Optional<T> withStored(BiFunction<AgentsReader, Boolean, T> work) {
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "agents");
    Config config = config();
    if (redisUrl != null || RedisServer.find(state, config).isPresent()) {
      return Optional.of(withAgents(view -> work.apply(view, true)));
    }
    if (RedisServerProcess.uriOf(state.redis()).isEmpty()) {
      return Optional.empty();
    }
    return state.locked(
        "colony runs",
        () -> {
          RedisServer redis = RedisServer.ensure(state, config);
          try {
            return Optional.of(withAgents(redis.uri(), (view, colony) -> work.apply(view, false)));
          } finally {
            redis.stop();
          }
        });
  }

  /** Whether a cluster is up that leaves this run alone until it is resumed. */
  boolean lone(RunId run) {
    return redisUrl == null
        && UpRecord.find(stateOption.open()).isPresent()
        && with(blackboards -> AskRecord.find(blackboards, run))
            .map(AskRecord::startedWith)
            .filter(StartedWith::lone)
            .isPresent();
  }

  /** The same, where they are told something, too. */
  <T> T withAgents(BiFunction<AgentsReader, Colony, T> work) {
    return withAgents(url("agents"), work);
  }

  private <T> T withAgents(String url, BiFunction<AgentsReader, Colony, T> work) {
    Config config = config();
    try (BlackboardClient client = BlackboardClient.connect(url, config, BoardOptions::note);
        Journal journal = BlackboardClient.journal(url, config)) {
      AgentsReader view =
          new AgentsReader(client.blackboards(), journal.reader(StoredTypes::read), config);
      return work.apply(
          view,
          new BlackboardColony(
              client.blackboards(),
              HomeResolver.byHash(config.getInt("colony.agent.placement-units")),
              Settings.read(ClientSettings.class, config),
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
      throw CommandFailure.badInput("--config " + configFile + ": cannot be read");
    }
    config = config != null ? config : CommandConfig.base(Optional.ofNullable(configFile));
    return config;
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
      throw CommandFailure.badInput(bad.getMessage(), bad);
    }
  }

  /** How a command reaches agents: over the Redis of a cluster, or over its HTTP API. */
  static final class ColonyOptions {

    @Option(
        names = "--url",
        paramLabel = "URL",
        description =
            "The HTTP API of a node, or of what stands before them, for a cluster whose Redis is"
                + " not within reach.")
    private Optional<URI> url = Optional.empty();

    @Mixin private KeyOption key;

    @Mixin private BoardOptions board;

    /** The HTTP API that is asked. */
    record Api(URI url, String key, Config config) {

      Colony colony() {
        return BoardOptions.refusing(() -> HttpColony.at(url, key, config));
      }

      String namespace(AgentId agent, RunId run) {
        return HttpColony.find(url, key, config, agent, run).join().namespace();
      }
    }

    <T> T with(Function<Colony, T> work) {
      if (url.isEmpty()) {
        checkUp();
      }
      return with(api -> work.apply(api.colony()), (view, colony) -> work.apply(colony));
    }

    /**
     * A cluster as a command reaches it.
     *
     * @param clock the cluster's; over the API, which tells no time, a {@link CommandFailure}
     */
    record ReachedColony(
        Colony colony, InstantSource clock, BiFunction<AgentId, RunId, String> namespaces) {

      /** The namespace in which a run of an agent was asked for. */
      String namespace(AgentId agent, RunId run) {
        return namespaces.apply(agent, run);
      }
    }

    private static Instant noClock() {
      throw CommandFailure.badInput(
          "a period counts by the time of the cluster, which the HTTP API does not tell: give a"
              + " time");
    }

    /** Does something with its agents, also where none is up. */
    <T> T reached(Function<ReachedColony, T> work) {
      return with(
          api ->
              work.apply(new ReachedColony(api.colony(), ColonyOptions::noClock, api::namespace)),
          (view, colony) -> work.apply(new ReachedColony(colony, view::now, view::namespace)));
    }

    /** Does something with its agents, over the API or with the Redis where they are. */
    <T> T with(Function<Api, T> overHttp, BiFunction<AgentsReader, Colony, T> overRedis) {
      if (url.isEmpty()) {
        return board.withAgents(overRedis);
      }
      KeyOption.checkUrl(url.get());
      CommandLog.into(state(), "agents");
      return overHttp.apply(new Api(url.get(), key.key().orElse(""), config()));
    }

    /** Nodes that are known to be down would leave a run waiting for them. */
    private void checkUp() {
      StateDirectory directory = state();
      boolean dead =
          !board.elsewhere()
              && UpRecord.find(directory).filter(up -> up.living(directory).isEmpty()).isPresent();
      if (dead) {
        throw new CommandFailure(
            ExitCode.NODE_ENDED,
            "all nodes of the cluster in %s have died: call colony up, which starts them again"
                .formatted(directory.root()));
      }
    }

    /** How a person comes back to a run that is not waited for any longer. */
    String goesOn(AgentId agent, RunId run) {
      return "the run goes on; follow it with: colony attach %s %s%s"
          .formatted(agent, run, again());
    }

    /** The options that reach the same cluster, as they stand in another command. */
    String again() {
      return url.map(at -> " --url " + StateOption.word(at.toString()) + key.again())
          .orElseGet(board::again);
    }

    /** Whether another cluster is meant than the one of the state directory. */
    boolean elsewhere() {
      return url.isPresent() || board.elsewhere();
    }

    Optional<Path> configFile() {
      return board.configFile();
    }

    Config config() {
      return board.config();
    }

    StateDirectory state() {
      return board.state();
    }
  }
}
