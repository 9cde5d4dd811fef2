package dev.colony.library.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.library.page.PageCapability;
import dev.colony.library.page.PageGraphCapability;
import dev.colony.library.page.PageGraphs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.VirtualTime;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.PageBranches;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ObservedResidency;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageLeases;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTable.ResidencyChange;
import dev.colony.vcm.table.PageTable.UnitChoice;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings.LeaseBounds;
import java.net.URI;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Pages in a store, an agent that reads them, and a replica whose cache a test fills. */
final class PageShelf {

  /** Reads pages, or has a person asked. */
  @Registered(value = "test.reader", summary = "Reads.")
  public static final class Reader extends AgentCapability {

    public Reader(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "reader.read", summary = "Reads something.")
    String read(@Param("what") String what) {
      return "read " + what;
    }

    @ActionExecutor(key = "reader.fail", summary = "Reads something that is not there.")
    String fail() {
      throw new IllegalStateException("it is not there");
    }

    @ActionExecutor(key = "reader.sign", summary = "Signs.", approval = true)
    String sign() {
      return "signed";
    }
  }

  /** The table of one replica, whose residency a test sets. */
  static final class OneReplica implements PageTable {

    private final PageLeases leases;
    private final List<Consumer<ResidencyChange>> listeners = new CopyOnWriteArrayList<>();
    private volatile PageTableSnapshot snapshot = PageTableSnapshot.EMPTY;

    OneReplica(PageLeases leases) {
      this.leases = leases;
    }

    void holds(PageId... pages) {
      Map<PageId, Integer> resident = new HashMap<>();
      List.of(pages).forEach(page -> resident.put(page, 100));
      report(
          new ReplicaResidency(
              new ReplicaId("r"),
              new NodeAddress("127.0.0.1:1"),
              URI.create("http://127.0.0.1:1/v1"),
              1,
              1,
              resident));
    }

    @Override
    public PageTableSnapshot snapshot() {
      return snapshot;
    }

    @Override
    public void report(ReplicaResidency residency) {
      Set<PageId> before = new HashSet<>();
      snapshot.replicas().forEach(one -> before.addAll(one.pages().keySet()));
      snapshot = new PageTableSnapshot(List.of(residency), List.of());
      Set<PageId> came = new HashSet<>(residency.pages().keySet());
      came.removeAll(before);
      before.removeAll(residency.pages().keySet());
      ResidencyChange change = new ResidencyChange(residency.node(), came, before);
      listeners.forEach(listener -> listener.accept(change));
    }

    @Override
    public void report(ObservedResidency observed) {
      throw new UnsupportedOperationException("the one replica belongs to a node");
    }

    @Override
    public CompletionStage<Void> forget(NodeAddress node, ReplicaId replica) {
      throw new UnsupportedOperationException("the one replica belongs to a node");
    }

    @Override
    public void report(PageUses uses) {}

    @Override
    public PageLeases leases() {
      return leases;
    }

    /** Whether something waits for a change. */
    boolean watched() {
      return !listeners.isEmpty();
    }

    @Override
    public CompletionStage<Void> withdraw(ReplicaId replica) {
      snapshot = PageTableSnapshot.EMPTY;
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> withdraw(ReplicaId replica, long incarnation) {
      return withdraw(replica);
    }

    @Override
    public SortedMap<PageGroupId, Integer> assign(Collection<PageGroup> groups, UnitChoice choice) {
      return new TreeMap<>();
    }

    @Override
    public Listening onChange(Consumer<ResidencyChange> listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }

    @Override
    public void close() {}
  }

  static final TypeProvider TYPES = types -> types.add(Reader.class);
  static final PageId P = new PageId("p".repeat(26));
  static final PageId Q = new PageId("q".repeat(26));
  static final PageId R = new PageId("r".repeat(26));
  static final PageGroupId GROUP = new PageGroupId("g".repeat(26));

  final VirtualTime time = new VirtualTime();
  private final StoreSettings stored = new StoreSettings(1 << 20, 2, 3);
  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(BlackboardSettings.DEFAULTS, time);
  final OneReplica table =
      new OneReplica(
          new PageLeases(boards.open(BlackboardPageTable.SCOPE, "test"), LeaseBounds.USUAL));
  final PageStore pages = new BlackboardPageStore(boards, "test", "test", stored);
  final PageGraphStore graphs =
      new PageGraphStore(boards.open(PageGraphStore.scope("test"), "test"), stored);

  /** Those that the agent sees. */
  PageBranches branches(TestAgent agent) {
    return new PageBranches(agent.blackboard(PageBranches.scope("test")), pages, stored);
  }

  PageShelf() {
    pages.save(
        new PageMap("m", "src", List.of(new PageGroup(GROUP, "src", List.of(P, Q, R), 300)), 2),
        List.of(
            page(P, "Merge.java", 1, "class Merge {\n  void sortRuns() {}\n}"),
            page(Q, "Merge.java", 4, "void mergeRuns() {}"),
            page(R, "Tea.java", 1, "class Tea {}")));
    PageGraph graph = new PageGraph();
    List.of(P, Q, R).forEach(graph::add);
    graph.update(P, Q, 0.8, time.instant());
    graph.update(Q, R, 0.5, time.instant());
    graphs.save("m", graph);
  }

  private static VirtualContextPage page(PageId id, String file, int line, String text) {
    int last = line + (int) text.lines().count() - 1;
    return new VirtualContextPage(
        id,
        "=== %s (lines %d-%d)\n%s".formatted(file, line, last, text),
        100,
        List.of(new PageSegment(file, line, last)));
  }

  TestAgent agent(FakeModel model, PlanArgs args) {
    return agent(model, args, PageCapability.Source.BOUND);
  }

  TestAgent agent(FakeModel model, PlanArgs args, PageCapability.Source source) {
    return TestAgent.of(
            AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, args))
                .capability(CapabilityBlueprint.of(Blueprint.of("test.reader")))
                .capability(CapabilityBlueprint.of(Blueprint.bind(PageCapability.class, source)))
                .capability(
                    CapabilityBlueprint.of(
                        Blueprint.bind(PageGraphCapability.class, PageCapability.Source.of("m"))))
                .capability(CapabilityBlueprint.of(Blueprint.of("pages.branch")))
                .capability(
                    CapabilityBlueprint.of(
                        Blueprint.bind(
                            WorkingSetCapability.class, WorkingSetCapability.Lease.DEFAULTS)))
                .pages(GROUP))
        .types(TYPES)
        .service(PageStore.class, pages)
        .service(PageTable.class, table)
        .service(PageGraphs.class, new PageGraphs(graphs, time))
        .time(time)
        .model(model)
        .start();
  }

  static ObjectNode action(String name, String key, Map<String, String> params) {
    ObjectNode action = JsonNodeFactory.instance.objectNode().put("name", name).put("action", key);
    ObjectNode parameters = action.putObject("parameters");
    params.forEach(parameters::put);
    return action;
  }

  static ObjectNode reads(String name, PageId... pages) {
    ObjectNode action = action(name, "reader.read", Map.of("what", name));
    List.of(pages).forEach(page -> action.withArray("pages").add(page.value()));
    return action;
  }

  static ObjectNode plan(ObjectNode... actions) {
    ObjectNode plan = JsonNodeFactory.instance.objectNode();
    List.of(actions).forEach(plan.putArray("actions")::add);
    return plan;
  }

  static List<String> done(TestAgent agent) {
    return agent.steps().actions().stream().map(ActionView::actionId).toList();
  }
}
