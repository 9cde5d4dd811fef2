package dev.colony.node.local;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Agents;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.ColonyProvider;
import dev.colony.agent.client.LocalOptions;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.RedisKeeper;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.session.BlackboardSpendStore;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.gateway.Spending;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.GivenTools;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.Started;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.runtime.AgentRuntime;
import dev.colony.node.runtime.AgentRuntime.OutstandingAgents;
import dev.colony.node.runtime.LibraryPorts;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.Cluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node in the JVM of a program, and the Redis server that it keeps beside itself. */
public final class LocalNode implements Colony {

  private static final Logger LOG = LoggerFactory.getLogger(LocalNode.class);

  private static final String NAME = "local";
  private static final Duration LEAVE = Duration.ofSeconds(10);

  private final Started started = new Started();
  private final GivenTools tools = new GivenTools();
  private final Thread atExit = new Thread(started::close, "colony-local-end");
  private Colony colony;

  /** Starts such nodes. */
  public static final class Provider implements ColonyProvider {

    /** For {@link java.util.ServiceLoader}. */
    public Provider() {}

    @Override
    public Optional<Colony> local(LocalOptions options) {
      LocalNode node = new LocalNode();
      try {
        node.start(options);
        return Optional.of(node);
      } catch (ConfigException bad) {
        node.close();
        throw new AgentException("configuration: " + bad.getMessage(), bad, false);
      } catch (RuntimeException failure) {
        node.close();
        throw failure;
      }
    }
  }

  private LocalNode() {}

  private void start(LocalOptions options) {
    Runtime.getRuntime().addShutdownHook(atExit);
    Config base = base();
    AgentTypes types = types();
    RedisServerProcess server = server(options, base);
    LocalModel model =
        options.model().isPresent()
            ? new LocalModel(Optional.empty(), base)
            : LocalModel.of(options, base);
    Config config =
        ConfigFactory.parseMap(Map.of("colony.agent.journal.redis-uri", server.uri()))
            .withFallback(model.config());
    RedisConnections redis =
        started.add(new RedisConnections(server.uri(), RedisSettings.fromConfig(config)));
    RedisBlackboards blackboards =
        started.add(new RedisBlackboards(redis, BlackboardSettings.fromConfig(config)));
    AgentSettings agents = Settings.read(AgentSettings.class, config);
    HomeResolver homes = HomeResolver.byHash(agents.placementUnits());
    NodePorts ports =
        LibraryPorts.of(
                config,
                blackboards,
                new BlackboardPageStore(
                    blackboards, LibraryPorts.PAGES_TENANT, NAME, StoreSettings.fromConfig(config)),
                homes,
                NAME,
                started)
            .with(GivenTools.class, tools)
            .with(
                InferenceGateway.class,
                options
                    .model()
                    .orElseGet(() -> model.gateway(spending(config, blackboards), NAME, started)));
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "colony", config);
    started.add(() -> leave(system));
    Cluster cluster = Cluster.get(system);
    cluster.join(cluster.selfAddress());
    colony =
        AgentRuntime.start(
                system,
                agents,
                new AgentRuntime.Setup(
                    ports,
                    types,
                    OutstandingAgents.journaled(system),
                    homes,
                    Optional.empty(),
                    StepListener.NONE))
            .colony();
  }

  private static Spending spending(Config config, Blackboards blackboards) {
    BudgetSettings budgets = BudgetSettings.fromConfig(config);
    return new Spending(
        budgets,
        new BlackboardSpendStore(blackboards, NodeBounds.USUAL.blackboard(), budgets.keep()),
        blackboards.clock());
  }

  /** The settings of the program's class path over those of such a node. */
  private static Config base() {
    return ConfigFactory.defaultOverrides()
        .withFallback(ConfigFactory.defaultApplication())
        .withFallback(
            ConfigFactory.parseResources(LocalNode.class.getClassLoader(), "colony-local.conf"))
        .withFallback(ConfigFactory.defaultReferenceUnresolved())
        .resolve();
  }

  private static AgentTypes types() {
    try {
      return AgentTypes.installed();
    } catch (ServiceConfigurationError | LinkageError | IllegalStateException broken) {
      Throwable why = Optional.ofNullable(broken.getCause()).orElse(broken);
      throw new AgentException(
          "the agents' types cannot be loaded: " + why.getMessage(), broken, false);
    }
  }

  private RedisServerProcess server(LocalOptions options, Config config) {
    try {
      boolean lasts = options.directory().isPresent();
      Path root = lasts ? options.directory().get() : temporary();
      StateFolder folder = StateFolder.open(root);
      started.add(
          folder
              .tryLock("a program with Colony.local()")
              .orElseThrow(() ->
                  AgentException.refused(
                      "%s is in use by %s: wait for it, or give another directory by LocalOptions"
                          .formatted(folder.root(), folder.holder()))));
      ServerSettings settings = ServerSettings.fromConfig(config, folder.redis());
      ServerSettings kept = lasts ? settings : settings.withFsync(Fsync.NO);
      RedisServerProcess server = RedisServerProcess.ensure(kept);
      started.add(() -> RedisServerProcess.stop(kept));
      server.cutOff().ifPresent(LOG::warn);
      started.add(new RedisKeeper(kept, LOG::warn));
      return server;
    } catch (IOException failure) {
      throw new AgentException(
          "the state of the colony cannot be kept in %s: %s"
              .formatted(
                  options.directory().map(Path::toAbsolutePath).orElse(Path.of("/tmp")),
                  failure.getMessage()),
          failure,
          false);
    }
  }

  private Path temporary() throws IOException {
    Path root = Files.createTempDirectory("colony-");
    started.add(() -> StateFolder.deleteTree(root));
    return root;
  }

  private static void leave(ActorSystem<Void> system) throws Exception {
    try {
      CoordinatedShutdown.get(system)
          .runAll(CoordinatedShutdown.unknownReason())
          .toCompletableFuture()
          .get(LEAVE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException failure) {
      LOG.warn("the node did not end cleanly", failure);
    }
  }

  @Override
  public AgentHandle spawn(Agents.Definition definition) {
    definition.capabilities().forEach((what, object) -> tools.give(definition.id(), what, object));
    definition.streamed().forEach((what, stream) -> tools.give(definition.id(), what, stream));
    return Colony.super.spawn(definition);
  }

  @Override
  public AgentHandle agent(AgentId id) {
    return colony.agent(id);
  }

  @Override
  public CompletableFuture<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint) {
    return colony.spawn(id, blueprint);
  }

  @Override
  public Sessions sessions(String tenant, String colony) {
    return this.colony.sessions(tenant, colony);
  }

  @Override
  public ScopeSuspensions suspensions() {
    return colony.suspensions();
  }

  @Override
  public Colony within(ExecutionContext context) {
    return colony.within(context);
  }

  @Override
  public void close() {
    started.close();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException ending) {
      // The JVM ends, and waits for the hook, which has nothing left to do.
    }
  }
}
