package dev.colony.testkit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.journal.Journal.PastEvents;
import dev.colony.library.capability.HttpToolCapability;
import dev.colony.library.capability.HttpTools;
import dev.colony.library.capability.HttpTools.HttpToolSettings;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.runtime.AgentRuntime;
import dev.colony.node.runtime.AgentRuntime.OutstandingAgents;
import dev.colony.node.runtime.JdkHttpTransport;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;

/**
 * A colony of one node within the JVM of a test: agents run by themselves, are placed, recovered
 * and woken as on any node. Without a server its blackboard and its journals are in memory; what
 * differs then: nothing outlives the colony, and a recovery reads whole journals. Handles do all
 * that they do on a node. With a Redis server all of it is as on a node. Thread-safe.
 *
 * <pre>{@code
 * try (TestColony test = TestColony.inMemory().model(model).start()) {
 *   AgentHandle desk = test.spawn("desk", DESK);
 *   AgentRun run = desk.run(input, RunOptions.namespace("ask")).join();
 * }
 * }</pre>
 */
public final class TestColony implements AutoCloseable {

  /** The tenant and the colony of the agents that are spawned by their names only. */
  public static final String NAME = "test";

  /** How often and how long a node of a test looks and waits, unless it is offered others. */
  public static final NodeBounds BOUNDS =
      new NodeBounds(
          backoff(20, 100),
          backoff(10, 50),
          new NodeBounds.Inbox(
              2,
              Duration.ofMillis(300),
              NodeBounds.USUAL.inbox().acceptTimeout(),
              NodeBounds.USUAL.inbox().afterLoss(),
              lanes(NodeBounds.USUAL.inbox().lanes())),
          new NodeBounds.Waker(
              Duration.ofMillis(200), Duration.ofSeconds(1), 100, Duration.ofMillis(50)),
          NodeBounds.USUAL.keeping(),
          NodeBounds.USUAL.resumption(),
          NodeBounds.USUAL.leases());

  private static final String QUICK =
      """
      pekko.actor.provider = cluster
      pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
      pekko.cluster {
        jmx.enabled = off
        gossip-interval = 100ms
        leader-actions-interval = 100ms
        periodic-tasks-initial-delay = 50ms
        sharding.retry-interval = 200ms
      }
      # A node ends at once and takes no leave, as if its process died.
      pekko.coordinated-shutdown {
        exit-jvm = off
        run-by-jvm-shutdown-hook = off
        run-by-actor-system-terminate = off
      }
      pekko.cluster.run-coordinated-shutdown-when-down = off
      pekko.loglevel = WARNING
      colony.agent {
        placement-units = 8
        leave-grace = 200ms
        client.poll = 200ms
      }
      """;

  private static final String ON_REDIS =
      """
      pekko.persistence.journal.plugin = "colony.agent.journal"
      pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
      colony.agent.journal.redis-uri = "%s"
      """;

  private final String name = UUID.randomUUID().toString();
  private final Builder parts;
  private final Blackboards blackboards;
  private final InMemoryStore store;
  private final HttpTools http;
  private final List<Runnable> closing = new ArrayList<>();
  private volatile Node node;

  /** The node that is there. */
  private record Node(ActorSystem<Void> system, AgentRuntime runtime) {}

  private TestColony(Builder parts) {
    this.parts = parts;
    this.store = new InMemoryStore(parts.kill, () -> Thread.ofVirtual().start(this::crash));
    if (parts.server) {
      RedisServerProcess server = RedisServerProcess.ensure(ServerSettings.in(folder()));
      parts.redis = Optional.of(server.uri());
      closing.add(server::stop);
    }
    if (parts.redis.isPresent()) {
      RedisConnections redis =
          new RedisConnections(parts.redis.get(), RedisSettings.fromConfig(config()));
      this.blackboards = new RedisBlackboards(redis, BlackboardSettings.fromConfig(config()));
      closing.addFirst(redis::close);
    } else {
      this.blackboards =
          new InMemoryBlackboards(BlackboardSettings.fromConfig(config()), ClusterClock.local());
    }
    JdkHttpTransport transport = new JdkHttpTransport(HttpTools.CONNECT_TIMEOUT);
    this.http = new HttpTools(Settings.read(HttpToolSettings.class, config()), transport);
    closing.addFirst(transport::close);
    this.node = begin();
  }

  /** A colony whose blackboard and journals are in memory, to be started. */
  public static Builder inMemory() {
    return new Builder(Optional.empty(), false);
  }

  /**
   * A colony on a Redis server of its own, to be started: the one of the machine, see {@link
   * RedisServerProcess}. It ends with the colony, and what it has stored stays in a folder of the
   * machine's for temporary files.
   */
  public static Builder onRedis() {
    return new Builder(Optional.empty(), true);
  }

  /**
   * A colony on a Redis server that is there, to be started; it leaves there what it stores.
   *
   * @param redisUrl for example {@code redis://127.0.0.1:6379}
   */
  public static Builder onRedis(String redisUrl) {
    return new Builder(Optional.of(redisUrl), false);
  }

  /** What a test colony is made of. */
  public static final class Builder {

    private final boolean server;
    private Optional<String> redis;
    private final List<TypeProvider> types = new ArrayList<>();
    private NodePorts ports = NodePorts.none();
    private String settings = "";
    private KillPoint kill = KillPoint.never();
    private boolean only;

    private Builder(Optional<String> redis, boolean server) {
      this.redis = redis;
      this.server = server;
    }

    /** Has these types known besides those that are installed on the class path. */
    public Builder types(TypeProvider... more) {
      types.addAll(List.of(more));
      return this;
    }

    /** Has these types known, and no others. */
    public Builder onlyTypes(TypeProvider... all) {
      only = true;
      return types(all);
    }

    /** Has agents ask this model. Without a model their calls fail. */
    public Builder model(FakeModel model) {
      return service(InferenceGateway.class, model.gateway());
    }

    /** Has agents find a service by its port, as {@code Agent.service} gives it. */
    public <T> Builder service(Class<T> port, T service) {
      ports = ports.with(port, service);
      return this;
    }

    /**
     * Settings in HOCON; they win over those of the class path and over this class's own. An agent
     * with {@link HttpToolCapability} reaches a server of the test where {@code
     * colony.agent.http.private-hosts} lists its host, as on a node.
     */
    public Builder settings(String hocon) {
      settings = hocon;
      return this;
    }

    /**
     * Has the node die there, and the next one start: of a colony in memory only.
     *
     * @throws IllegalStateException of one on Redis
     */
    public Builder killed(KillPoint point) {
      if (server || redis.isPresent()) {
        throw new IllegalStateException("kill points are for colonies in memory");
      }
      kill = point;
      return this;
    }

    /** Starts it. Does not wait until agents can run: what is asked of them waits. */
    public TestColony start() {
      return new TestColony(this);
    }
  }

  private static Path folder() {
    try {
      return Files.createTempDirectory("colony-testkit-");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private Config config() {
    String journal =
        parts.redis.map(ON_REDIS::formatted).orElseGet(() -> MemoryJournal.config(name, store));
    return ConfigFactory.parseString(parts.settings)
        .withFallback(ConfigFactory.parseString(journal))
        .withFallback(ConfigFactory.parseString(QUICK))
        .withFallback(ConfigFactory.load());
  }

  private Node begin() {
    Config config = config();
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "test-colony", config);
    Cluster cluster = Cluster.get(system);
    cluster.manager().tell(Join.create(cluster.selfMember().address()));
    AgentSettings settings = Settings.read(AgentSettings.class, config);
    OutstandingAgents outstanding =
        parts.redis.isPresent()
            ? OutstandingAgents.journaled(system)
            : () -> CompletableFuture.completedStage(store.outstanding());
    AgentRuntime runtime =
        AgentRuntime.start(
            system,
            settings,
            new AgentRuntime.Setup(
                ports(),
                types(parts.types, parts.only),
                outstanding,
                HomeResolver.byHash(settings.placementUnits()),
                Optional.empty(),
                StepListener.NONE));
    return new Node(system, runtime);
  }

  private static Backoff backoff(long shortestMillis, long longestMillis) {
    return new Backoff(Duration.ofMillis(shortestMillis), Duration.ofMillis(longestMillis));
  }

  private static NodeBounds.Lanes lanes(NodeBounds.Lanes usual) {
    return new NodeBounds.Lanes(
        usual.batch(),
        usual.perTenant(),
        usual.perAgent(),
        usual.failing(),
        usual.held(),
        new NodeBounds.Pauses(Duration.ofMillis(10), Duration.ofMillis(100)),
        new NodeBounds.Pauses(Duration.ofMillis(20), Duration.ofMillis(200)));
  }

  private NodePorts ports() {
    NodePorts bounded = with(parts.ports, NodeBounds.class, () -> BOUNDS);
    NodePorts given = with(bounded, InferenceGateway.class, NoModel::new);
    NodePorts all = with(given, HttpTools.class, () -> http).with(Blackboards.class, blackboards);
    return parts.redis.isPresent() ? all : all.with(PastEvents.class, store.past());
  }

  /** The same with one more where there is none of that port. */
  private static <T> NodePorts with(NodePorts given, Class<T> port, Supplier<T> other) {
    return given.find(port).isPresent() ? given : given.with(port, other.get());
  }

  /** Those of the class path, and these in place of others of their classes; or only these. */
  static AgentTypes types(List<TypeProvider> given, boolean only) {
    if (only) {
      return AgentTypes.of(given);
    }
    if (given.isEmpty()) {
      return AgentTypes.installed();
    }
    return AgentTypes.of(
        Stream.concat(
                ServiceLoader.load(TypeProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(
                        one -> given.stream().noneMatch(own -> own.getClass() == one.getClass())),
                given.stream())
            .toList());
  }

  /** The way to its agents. */
  public Colony colony() {
    return node.runtime().colony();
  }

  /** Spawns an agent of tenant and colony {@value #NAME}. */
  public AgentHandle spawn(String agent, AgentBlueprint blueprint) {
    return colony().spawn(new AgentId(NAME, NAME, agent), blueprint).join();
  }

  public Blackboards blackboards() {
    return blackboards;
  }

  /**
   * Has the node end without taking leave, and another one start on the same store; what the first
   * had under way goes on there.
   */
  public synchronized void crash() {
    store.dies();
    node.system().terminate();
    node.system().getWhenTerminated().toCompletableFuture().join();
    store.revived();
    node = begin();
  }

  /** Ends the node; a store in memory is gone then. */
  @Override
  public synchronized void close() {
    node.system().terminate();
    node.system().getWhenTerminated().toCompletableFuture().join();
    MemoryJournal.forget(name);
    blackboards.close();
    closing.forEach(Runnable::run);
  }
}
