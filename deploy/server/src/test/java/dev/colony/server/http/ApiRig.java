package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.client.ColonyClient;
import dev.colony.client.session.BlackboardSpendStore;
import dev.colony.client.session.BlackboardSpendStore.SpendingReader;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.budget.SpendLedger;
import dev.colony.inference.budget.SpendStore.Book;
import dev.colony.inference.budget.SpendStore.SpendAccounts;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.library.context.ContextTypes;
import dev.colony.library.research.ResearchTypes.MapIndexes;
import dev.colony.node.Started;
import dev.colony.server.AgentsReader;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Authenticator.OidcSettings;
import dev.colony.server.Explorer;
import dev.colony.server.KeyRing;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.fixture.StoredAgents;
import dev.colony.server.http.ClusterViews.ClusterView;
import dev.colony.server.http.ClusterViews.PagesView;
import dev.colony.server.mcp.McpServer.GroupPages;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import dev.colony.server.node.NodeConfig;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.TableSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The API over a Redis of its own, without a cluster: agents are in directory and journal, and what
 * they would answer is written in their place.
 */
public final class ApiRig implements AutoCloseable {

  static final String TENANT = "acme";
  static final String COLONY = "/v1/tenants/acme/colonies/billing";
  static final String NAMESPACE = "work";
  static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.any"));

  private static final AgentRunProtocol RUNS = new AgentRunProtocol();

  private final Started started = new Started();
  private final StoredAgents agents;
  private final ColonyClient client;
  private final ActorSystem<Void> system;
  private final Config config;
  private final BlackboardPageTable table;
  private final PageStore store;
  private final ApiSources.Models models;
  private final BlackboardSpendStore spent;
  private final SpendingReader spending;

  public ApiRig() {
    this("");
  }

  /** With settings of its own, as HOCON. */
  public ApiRig(String overrides) {
    this(new ApiSources.Models(new NoModels(), null), overrides);
  }

  /** The policy of agents that are in directory and journal only. */
  @Registered("test.any")
  static final class AnyPolicy implements ActionPolicy {

    @Override
    public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state) {
      throw new IllegalStateException("no agent of this test lives");
    }
  }

  /** Without a model that could be asked. */
  private static final class NoModels implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      return CompletableFuture.failedStage(
          new InferenceException(InferenceException.Kind.UNREACHABLE, "no replica is known", null));
    }

    @Override
    public void close() {}
  }

  ApiRig(ApiSources.Models models) {
    this(models, "");
  }

  private ApiRig(ApiSources.Models models, String overrides) {
    this.models = models;
    agents = started.add(new StoredAgents(LocalNodes.redis(started).uri()));
    client = started.add(ColonyClient.connect(agents.redisUri()));
    config =
        ConfigFactory.parseMap(
                Map.of(
                    "pekko.actor.provider",
                    "local",
                    "colony.agent.journal.redis-uri",
                    agents.redisUri()))
            .withFallback(ConfigFactory.parseString(overrides))
            .withFallback(NodeConfig.base(Optional.empty()))
            .resolve();
    BudgetSettings budgets = BudgetSettings.fromConfig(config);
    spent =
        new BlackboardSpendStore(
            client.blackboards(),
            new Backoff(Duration.ofMillis(5), Duration.ofMillis(50)),
            budgets.keep());
    spending = new SpendingReader(spent, budgets, client.blackboards().clock());
    system = ActorSystem.create(Behaviors.empty(), "api", config);
    table =
        started.add(
            new BlackboardPageTable(client.blackboards(), "api", TableSettings.fromConfig(config)));
    store =
        new BlackboardPageStore(
            client.blackboards(), Node.PAGES_TENANT, "api", StoreSettings.fromConfig(config));
    started.add(() -> {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().join();
    });
  }

  /**
   * An API of its own port.
   *
   * @param overrides of {@code colony.http}, and of bounds by their names in kebab case, behind any
   *     section
   */
  public HttpApi start(AccessSettings access, Map<String, ?> overrides) {
    return start(access, overrides, ApiListener.NONE);
  }

  HttpApi start(AccessSettings access, Map<String, ?> overrides, ApiListener listener) {
    Config given = ConfigFactory.parseMap(overrides);
    HttpSettings settings =
        HttpSettings.fromConfig(
            given
                .atPath("colony.http")
                .withFallback(ConfigFactory.parseString("colony.http.port = 0"))
                .withFallback(config));
    return HttpApi.start(system, settings, bounds(given), access, sources(), listener);
  }

  private static HttpSettings.Bounds bounds(Config given) {
    Map<String, String> paths = new HashMap<>();
    given
        .entrySet()
        .forEach(one ->
            paths.put(one.getKey().substring(one.getKey().lastIndexOf('.') + 1), one.getKey()));
    try {
      List<Object> values = new ArrayList<>();
      List<Class<?>> types = new ArrayList<>();
      for (RecordComponent part : HttpSettings.Bounds.class.getRecordComponents()) {
        String path =
            paths.get(part.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
        types.add(part.getType());
        values.add(
            path == null
                ? part.getAccessor().invoke(HttpSettings.Bounds.USUAL)
                : part.getType() == int.class ? given.getInt(path) : given.getDuration(path));
      }
      return HttpSettings.Bounds.class
          .getDeclaredConstructor(types.toArray(Class<?>[]::new))
          .newInstance(values.toArray());
    } catch (ReflectiveOperationException none) {
      throw new IllegalStateException(none);
    }
  }

  public HttpApi start() {
    return start(AccessSettings.OPEN, Map.of());
  }

  ApiSources sources() {
    ClusterView cluster = new ClusterView("127.0.0.1:1", Optional.empty(), List.of());
    PagesView pages = new PagesView(0, 0, List.of());
    return new ApiSources(
        client.colony(),
        client.blackboards(),
        new AgentsReader(client.blackboards(), JournalExtension.reader(system), config),
        () -> cluster,
        () -> pages,
        new GroupPages(table, store),
        new Explorer(store, new MapIndexes(store, 1)),
        models,
        spending,
        new AgentTrial(
            AgentTypes.of(
                List.<TypeProvider>of(types -> types.add(AnyPolicy.class), new ContextTypes())),
            (id, blueprint) -> Optional.empty()));
  }

  /** Stores the pages of a map, and has its groups assigned. */
  void map(PageMap map, List<VirtualContextPage> pages) {
    store.save(map, pages);
    table.assign(
        map.groups(),
        (groups, known) ->
            groups.stream()
                .collect(
                    Collectors.toMap(PageGroup::id, group -> 0, (one, same) -> one, TreeMap::new)));
  }

  /** Stores a graph of two pages. */
  void graph(String map, PageId from, PageId to, double weight) {
    PageGraph graph = new PageGraph();
    graph.add(from);
    graph.add(to);
    graph.update(from, to, weight, client.blackboards().clock().instant());
    new PageGraphStore(
            client.blackboards().open(PageGraphStore.scope(Node.PAGES_TENANT), "api"),
            StoreSettings.fromConfig(config))
        .save(map, graph);
  }

  BlackboardPageTable table() {
    return table;
  }

  /** A call of a session of a tenant has taken that. */
  public void spend(String tenant, String session, Usage usage, BigDecimal cost) {
    String period = spending.settings().period().of(spending.clock().instant());
    try (SpendLedger ledger = new SpendLedger(spent, BudgetSettings.LEASE)) {
      ledger
          .add(
              new Book.OfTenant(tenant),
              List.of(SpendAccounts.session(session), SpendAccounts.tenant(period)),
              Spend.of(usage, cost))
          .join();
    }
  }

  StoredAgents agents() {
    return agents;
  }

  public ColonyClient client() {
    return client;
  }

  String redisUri() {
    return agents.redisUri();
  }

  /** One that no other test uses, in directory and journal. */
  public AgentId agent() {
    AgentId id = new AgentId(TENANT, "billing", "a-" + UUID.randomUUID());
    agents.spawn(id, BLUEPRINT);
    agents.born(id, BLUEPRINT);
    return id;
  }

  /** The agent's run makes something known. */
  void emit(AgentId id, RunId run, String name, JsonNode data) {
    emit(id, NAMESPACE, run, name, data);
  }

  void emit(AgentId id, String namespace, RunId run, String name, JsonNode data) {
    write(id, namespace, Write.of(RUNS.eventKey(run.value(), name), data));
  }

  void complete(AgentId id, RunId run, JsonNode output) {
    end(id, NAMESPACE, AgentRun.completed(run, output, RunStats.NONE));
  }

  public void end(AgentId id, String namespace, AgentRun ended) {
    write(
        id, namespace, Write.of(RUNS.resultKey(ended.runId().value()), ended.toJson()).ifAbsent());
  }

  private void write(AgentId id, String namespace, Write write) {
    client
        .blackboards()
        .open(id.scope().namespace(namespace), id.persistenceId())
        .write(write)
        .toCompletableFuture()
        .join();
  }

  Blackboard board(AgentId id) {
    return client.blackboards().open(id.scope().namespace(NAMESPACE), id.persistenceId());
  }

  /** A file with a key of each role for the tenant {@code acme}, named like the role. */
  static AccessSettings keys(Path folder, List<AccessKey> more) {
    List<AccessKey> keys = new java.util.ArrayList<>(more);
    for (Role role : Role.values()) {
      keys.add(AccessKey.of(new Principal(role.name(), TENANT, role), key(role)));
    }
    return keysOnly(folder, keys);
  }

  /** A file with these keys and no others. */
  static AccessSettings keysOnly(Path folder, List<AccessKey> keys) {
    Path file = folder.resolve("keys.json");
    try {
      Files.writeString(file, new KeyRing(keys).toJson().toString());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return new AccessSettings(Optional.of(file.toString()), OidcSettings.NONE);
  }

  static String key(Role role) {
    return "key-of-" + role;
  }

  @Override
  public void close() {
    started.close();
  }
}
