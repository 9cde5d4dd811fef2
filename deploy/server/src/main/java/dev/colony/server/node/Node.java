package dev.colony.server.node;

import com.typesafe.config.Config;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.session.BlackboardSpendStore;
import dev.colony.client.session.BlackboardSpendStore.SpendingReader;
import dev.colony.code.Sandbox;
import dev.colony.code.Sandbox.CodeSettings;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.gateway.Spending;
import dev.colony.journal.Journal.JournalCount;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.library.research.ResearchTypes.MapIndexes;
import dev.colony.mcp.McpServers;
import dev.colony.mcp.McpSettings;
import dev.colony.node.AgentListener;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.SpanListener;
import dev.colony.node.Started;
import dev.colony.node.admission.PageAffinityAllocation;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.resumption.BoundPages;
import dev.colony.node.resumption.PageWatch;
import dev.colony.node.runtime.AgentRuntime;
import dev.colony.node.runtime.AgentRuntime.OutstandingAgents;
import dev.colony.node.runtime.LibraryPorts;
import dev.colony.server.AgentsReader;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Explorer;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.StartFailedException;
import dev.colony.server.StartFailedException.Reason;
import dev.colony.server.http.AgentTrial;
import dev.colony.server.http.ApiSources;
import dev.colony.server.http.ClusterViews.ClusterView;
import dev.colony.server.http.ClusterViews.PagesView;
import dev.colony.server.http.HttpApi;
import dev.colony.server.http.HttpSettings;
import dev.colony.server.mcp.McpServer.GroupPages;
import dev.colony.server.metrics.NodeMetrics;
import dev.colony.server.metrics.NodeMetrics.MetricsSettings;
import dev.colony.server.node.LiveReplicas.DepartedReplicas;
import dev.colony.server.node.LiveReplicas.LiveMembers;
import dev.colony.server.node.NodeConfig.ClassPathTypes;
import dev.colony.server.node.NodeOptions.LeftWork;
import dev.colony.server.node.RedisLease.LeaseParts;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.schedule.CacheControl;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.PageAccessSettings;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PlacementPolicy;
import dev.colony.vcm.table.PlacementSettings;
import dev.colony.vcm.table.TableSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.Cluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of the cluster: Redis, the page table, a model server, the agents. Starting blocks
 * until the node is a member and hosts agents.
 */
public final class Node implements AutoCloseable {

  /** The actor system's name, the same on all nodes. */
  public static final String SYSTEM = "colony";

  /** In whose scope pages are kept; they are content-addressed, so all may share them. */
  public static final String PAGES_TENANT = LibraryPorts.PAGES_TENANT;

  /** How the line begins in which a node that was not told to leave says why it ends. */
  public static final String ENDS = "this node ends: ";

  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final Duration TABLE_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

  private final Started started = new Started();
  private final NodeEnd end = new NodeEnd();
  private ActorSystem<Void> system;
  private Colony colony;
  private final NodeMetrics metrics = started.add(new NodeMetrics());
  private String replica = "";
  private String api = "";

  private Node() {}

  /**
   * Starts a node in this process.
   *
   * @param base the configuration below the options; its keys are those of the reference.conf files
   * @throws InvalidConfigurationException if a setting or what it names cannot be used
   * @throws StartFailedException if a port is taken or the cluster does not form in time
   * @throws BlackboardException if Redis does not answer, or cannot be used
   */
  public static Node start(NodeOptions options, Config base) {
    return start(options, base, LeftWork.GOES_ON);
  }

  /**
   * The same of a node that does not go on with everything that is left.
   *
   * @param left which agents it leaves waiting; the same on all nodes
   */
  public static Node start(NodeOptions options, Config base, LeftWork left) {
    return start(
        options, base, left, Optional.empty(), UnaryOperator.identity(), StepListener.NONE);
  }

  /**
   * Starts a node in this process whose model calls go elsewhere.
   *
   * @param model answers them in place of a model server; closed by the caller
   * @param listener is told about each step
   */
  public static Node start(
      NodeOptions options, Config base, Optional<InferenceGateway> model, StepListener listener) {
    return start(options, base, LeftWork.GOES_ON, model, UnaryOperator.identity(), listener);
  }

  /**
   * Starts a node in this process whose model calls pass through something else on their way to its
   * model servers.
   *
   * @param around makes of the node's gateway the one that is asked; the node closes its own
   */
  public static Node start(
      NodeOptions options, Config base, UnaryOperator<InferenceGateway> around) {
    return start(options, base, LeftWork.GOES_ON, Optional.empty(), around, StepListener.NONE);
  }

  private static Node start(
      NodeOptions options,
      Config base,
      LeftWork left,
      Optional<InferenceGateway> model,
      UnaryOperator<InferenceGateway> around,
      StepListener listener) {
    Node node = new Node();
    try {
      node.startAll(options, NodeConfig.of(options, base), left, model, around, listener);
      return node;
    } catch (RuntimeException failure) {
      node.close();
      throw failure;
    }
  }

  public Colony colony() {
    return colony;
  }

  public JournalCount journal() {
    return JournalExtension.journal(system).count();
  }

  public NodeMetrics metrics() {
    return metrics;
  }

  /** The base URL of this node's model server; empty where it has none. */
  public String replica() {
    return replica;
  }

  /** The URL of this node's HTTP API; empty where it serves none. */
  public String api() {
    return api;
  }

  /**
   * Blocks until the node has left the cluster, by SIGTERM or because it ends itself.
   *
   * @return whether it was told to leave; if not, its log says why it has ended
   */
  public boolean awaitTermination() {
    system.getWhenTerminated().toCompletableFuture().join();
    started.close();
    return !end.byItself();
  }

  /** Leaves the cluster, so that the others take over its agents, and ends everything. */
  @Override
  public void close() {
    if (system != null) {
      try {
        CoordinatedShutdown.get(system)
            .runAll(CoordinatedShutdown.unknownReason())
            .toCompletableFuture()
            .get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } catch (java.util.concurrent.ExecutionException | TimeoutException failure) {
        LOG.warn("the node did not leave the cluster cleanly", failure);
      }
    }
    started.close();
  }

  private void startAll(
      NodeOptions options,
      Config config,
      LeftWork left,
      Optional<InferenceGateway> model,
      UnaryOperator<InferenceGateway> around,
      StepListener listener) {
    HttpSettings http = HttpSettings.fromConfig(config);
    if (http.enabled()) {
      HttpApi.check(http, Settings.read(AccessSettings.class, config));
    }
    AgentTypes types = ClassPathTypes.of(AgentTypes::installed);
    RedisConnections redis = started.add(connect(options.redisUri(), config));
    redis.warnings().forEach(LOG::warn);
    RedisLog.follow(redis);
    metrics.follow(redis);
    BlackboardSettings settings = BlackboardSettings.fromConfig(config);
    RedisBlackboards blackboards =
        started.add(new RedisBlackboards(redis, settings, metrics.blackboard()));
    ClockWatch clocks = ClockWatch.follow(blackboards.clock());
    metrics.follow(blackboards.clock());
    BlackboardPageTable table =
        started.add(
            new BlackboardPageTable(blackboards, options.name(), TableSettings.fromConfig(config)));
    awaitTable(table);
    metrics.follow(table, new NodeAddress(options.address()), blackboards.clock());
    LiveMembers members = new LiveMembers();
    GatewayReports reports = new GatewayReports(options.address());
    BudgetSettings budgets = BudgetSettings.fromConfig(config);
    BlackboardSpendStore spent =
        new BlackboardSpendStore(blackboards, NodeBounds.USUAL.blackboard(), budgets.keep());
    Optional<ModelServing> serving =
        model.isPresent()
            ? Optional.empty()
            : Optional.of(
                started.add(
                    ModelServing.start(
                        options,
                        config,
                        table,
                        members,
                        reports,
                        metrics,
                        new Spending(budgets, spent, blackboards.clock()),
                        blackboards.clock())));
    replica = serving.map(own -> own.replica().toString()).orElse("");
    InferenceGateway gateway =
        metrics.measured(
            model.or(() -> serving.map(ModelServing::gateway).map(around)).orElseThrow());
    AgentSettings agents = Settings.read(AgentSettings.class, config);
    PlacementPolicy placement =
        PlacementPolicy.of(PlacementSettings.fromConfig(config), agents.placementUnits());
    PageStore pages =
        new BlackboardPageStore(
            blackboards,
            PAGES_TENANT,
            options.name(),
            StoreSettings.fromConfig(config),
            PageAccessSettings.fromConfig(config).clearances());
    HomeResolver homes = new PageHomes(table, agents.placementUnits());
    Optional<OtlpTraces> traces = OtlpTraces.start(config, options.name(), metrics.spans());
    traces.ifPresent(started::add);
    NodePorts ports =
        LibraryPorts.of(config, blackboards, pages, homes, options.name(), started)
            .with(AgentListener.class, metrics.agents())
            .with(InferenceGateway.class, gateway)
            .with(
                CacheControl.class,
                serving.map(ModelServing::cacheControl).orElse(CacheControl.NONE))
            .with(PageTable.class, table)
            .with(PlacementPolicy.class, placement)
            .with(BoundPages.class, started.add(watch(table, options, blackboards.clock())))
            .with(McpServers.class, started.add(new McpServers(McpSettings.fromConfig(config))))
            .with(
                Sandbox.class, started.add(new Sandbox(Settings.read(CodeSettings.class, config))));
    NodePorts services = traces.map(to -> ports.with(SpanListener.class, to)).orElse(ports);
    Membership membership =
        new Membership(
            options, config, List.of(metrics.route()), new LeaseParts(redis, end::heard));
    membership.unfitWhile(clocks::unfit);
    system = membership.system();
    end.watch(system);
    membership.seek();
    members.follow(system);
    reports.follow(system);
    takeOutDeparted(table, members, TableSettings.fromConfig(config), blackboards.clock());
    serving.ifPresent(this::withdrawOnLeaving);
    AgentRuntime runtime =
        AgentRuntime.start(
            system,
            agents,
            new AgentRuntime.Setup(
                services,
                types,
                left.among(OutstandingAgents.journaled(system), blackboards),
                homes,
                Optional.of(
                    new PageAffinityAllocation(placement, table::snapshot, blackboards.clock())),
                listener.and(metrics.steps())));
    metrics.follow(
        system, blackboards, runtime::load, Settings.read(MetricsSettings.class, config));
    colony = runtime.colony();
    TreeFollowing.start(system, config, blackboards, pages, NodeBounds.USUAL.blackboard());
    membership.await();
    if (http.enabled()) {
      Cluster cluster = Cluster.get(system);
      api =
          serve(
              http,
              new ApiSources(
                  colony,
                  blackboards,
                  new AgentsReader(blackboards, JournalExtension.reader(system), config),
                  () -> ClusterView.of(cluster),
                  () -> PagesView.of(table.snapshot()),
                  new GroupPages(table, pages),
                  new Explorer(pages, services.get(MapIndexes.class)),
                  new ApiSources.Models(runtime.models(), pages),
                  new SpendingReader(spent, budgets, blackboards.clock()),
                  new AgentTrial(types, runtime::trial)));
    }
    membership.serve();
    LOG.info("{} is up at {}", options.name(), options.address());
  }

  /** Starts the HTTP API, which ends as the first thing of the node's own end. */
  private String serve(HttpSettings settings, ApiSources sources) {
    HttpApi started =
        HttpApi.start(
            system,
            settings,
            Settings.read(AccessSettings.class, system.settings().config()),
            sources,
            metrics.api());
    CoordinatedShutdown.get(system)
        .addTask(CoordinatedShutdown.PhaseServiceUnbind(), "drain-http-api", started::drain);
    return started.uri().toString();
  }

  /** Ends with the actor system. */
  private void takeOutDeparted(
      PageTable table, LiveMembers members, TableSettings settings, InstantSource clock) {
    DepartedReplicas departed =
        new DepartedReplicas(table, members::known, settings.departedAfter(), clock);
    Duration between = settings.departedAfter().dividedBy(2);
    system
        .scheduler()
        .scheduleWithFixedDelay(between, between, departed::look, system.executionContext());
  }

  private static PageWatch watch(PageTable table, NodeOptions options, InstantSource clock) {
    return new PageWatch(
        table,
        new NodeAddress(options.address()),
        (delay, task) ->
            CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS)
                .execute(task),
        clock);
  }

  /** Within the coordinated shutdown, which SIGTERM waits for; nothing after it is sure to run. */
  private void withdrawOnLeaving(ModelServing serving) {
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseBeforeActorSystemTerminate(),
            "withdraw-replica",
            () -> serving.withdraw().thenApply(stored -> Done.getInstance()));
  }

  private static RedisConnections connect(String uri, Config config) {
    try {
      return new RedisConnections(uri, RedisSettings.fromConfig(config));
    } catch (IllegalArgumentException unusable) {
      throw new InvalidConfigurationException(unusable.getMessage(), unusable);
    }
  }

  private static void awaitTable(BlackboardPageTable table) {
    try {
      table.loaded().toCompletableFuture().get(TABLE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new StartFailedException(Reason.INTERRUPTED, "interrupted", interrupted);
    } catch (java.util.concurrent.ExecutionException | TimeoutException failure) {
      throw new StartFailedException(
          Reason.NOT_READY,
          "the page table is not read within " + TABLE_TIMEOUT.toSeconds() + " s",
          failure);
    }
  }
}
