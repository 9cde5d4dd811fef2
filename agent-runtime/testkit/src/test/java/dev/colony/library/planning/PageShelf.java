package dev.colony.library.planning;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.view.ActionView;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.library.page.PageCapability;
import dev.colony.library.page.WorkingSetCapability;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.ReplicaResidency;
import dev.colony.vcm.table.ResidencyChange;
import dev.colony.vcm.table.UnitChoice;
import java.net.URI;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

    private volatile PageTableSnapshot snapshot = PageTableSnapshot.EMPTY;

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
      snapshot = new PageTableSnapshot(List.of(residency), List.of());
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
    public CompletionStage<SortedMap<PageGroupId, Integer>> assign(
        Collection<PageGroup> groups, UnitChoice choice) {
      return CompletableFuture.completedFuture(new TreeMap<>());
    }

    @Override
    public Listening onChange(Consumer<ResidencyChange> listener) {
      return () -> {};
    }

    @Override
    public void close() {}
  }

  static final TypeProvider TYPES = types -> types.add(Reader.class);
  static final PageId P = new PageId("p".repeat(26));
  static final PageId Q = new PageId("q".repeat(26));
  static final PageId R = new PageId("r".repeat(26));
  static final PageGroupId GROUP = new PageGroupId("g".repeat(26));

  final OneReplica table = new OneReplica();
  final PageStore pages =
      new BlackboardPageStore(
          new InMemoryBlackboards(), "test", "test", new StoreSettings(1 << 20, 2, 3));

  PageShelf() {
    pages
        .save(
            new PageMap("m", "src", List.of(new PageGroup(GROUP, "src", List.of(P, Q, R), 300)), 2),
            List.of(
                page(P, "Merge.java", 1, "class Merge {\n  void sortRuns() {}\n}"),
                page(Q, "Merge.java", 4, "void mergeRuns() {}"),
                page(R, "Tea.java", 1, "class Tea {}")))
        .toCompletableFuture()
        .join();
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
    return TestAgent.of(
            AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, args))
                .capability(CapabilityBlueprint.of(Blueprint.of("test.reader")))
                .capability(
                    CapabilityBlueprint.of(
                        Blueprint.bind(PageCapability.class, PageCapability.Source.BOUND)))
                .capability(
                    CapabilityBlueprint.of(
                        Blueprint.bind(
                            WorkingSetCapability.class, WorkingSetCapability.Lease.DEFAULTS)))
                .pages(GROUP))
        .types(TYPES)
        .service(PageStore.class, pages)
        .service(PageTable.class, table)
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
