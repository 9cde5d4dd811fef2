package dev.colony.library.planning;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.view.ActionView;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.library.page.PageCapability;
import dev.colony.library.page.WorkingSetCapability;
import dev.colony.library.page.WorkingSetCapability.Declared;
import dev.colony.library.plan.CacheContext.PageUse;
import dev.colony.schema.JsonValues;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plans over pages: their order, what is declared, and pages that are lost. */
class PlanPagesTest {

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
  private static final class OneReplica implements PageTable {

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

  private static final TypeProvider TYPES = types -> types.add(Reader.class);
  private static final PageId P = new PageId("p".repeat(26));
  private static final PageId Q = new PageId("q".repeat(26));
  private static final PageId R = new PageId("r".repeat(26));
  private static final PageGroupId GROUP = new PageGroupId("g".repeat(26));

  private final FakeModel model = FakeModel.start();
  private final OneReplica table = new OneReplica();
  private final PageStore pages =
      new BlackboardPageStore(
          new InMemoryBlackboards(), "test", "test", new StoreSettings(1 << 20, 2, 3));

  PlanPagesTest() {
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

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(PlanArgs args) {
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

  private static ObjectNode action(String name, String key, Map<String, String> params) {
    ObjectNode action = JsonNodeFactory.instance.objectNode().put("name", name).put("action", key);
    ObjectNode parameters = action.putObject("parameters");
    params.forEach(parameters::put);
    return action;
  }

  private static ObjectNode reads(String name, PageId... pages) {
    ObjectNode action = action(name, "reader.read", Map.of("what", name));
    List.of(pages).forEach(page -> action.withArray("pages").add(page.value()));
    return action;
  }

  private static ObjectNode plan(ObjectNode... actions) {
    ObjectNode plan = JsonNodeFactory.instance.objectNode();
    List.of(actions).forEach(plan.putArray("actions")::add);
    return plan;
  }

  private static List<String> done(TestAgent agent) {
    return agent.steps().actions().stream().map(ActionView::actionId).toList();
  }

  @Test
  void actionsOnTheSamePagesAreTakenOneAfterTheOther() {
    PlanArgs.Rules oneByOne =
        (PlanArgs.Rules)
            JsonValues.read(
                JsonNodeFactory.instance.objectNode().put("parallel", 1), PlanArgs.Rules.class);
    model
        .expect("Plan how your goals are reached.")
        .calls(
            "plan",
            plan(reads("a", P), reads("b", Q), reads("c", P), reads("d", Q)).put("result", "done"));
    try (TestAgent agent = agent(PlanArgs.NONE.rules(oneByOne).cacheTokens(100))) {
      assertThat(agent.run("Read").output().asText()).isEqualTo("done");
      assertThat(done(agent)).containsExactly("a", "c", "b", "d");
    }
  }

  @Test
  void lostPagesAreToldAndPagesThatAreBackToo() {
    table.holds(P, Q);
    ObjectNode later = reads("b", P);
    later.putArray("after").add("a");
    ObjectNode last = reads("c", Q);
    last.putArray("after").add("s");
    ObjectNode second = action("s", "reader.sign", Map.of());
    second.putArray("after").add("b");
    model
        .expect("Plan how your goals are reached.")
        .calls(
            "plan",
            plan(action("a", "reader.sign", Map.of()), later, second, last).put("result", "done"));
    model.expect("pages: no longer cached: " + Q).calls("go_on", Map.of());
    model.expect("pages: cached again: " + Q).calls("go_on", Map.of());
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      RunId run = agent.ask("Read");
      agent.settle();
      table.holds(P);
      agent.handle().approve(CacheAwareActionPolicyTest.request(agent, "a"), "eve", "").join();
      agent.settle();
      assertThat(done(agent)).contains("b");
      table.holds(P, Q);
      agent.handle().approve(CacheAwareActionPolicyTest.request(agent, "s"), "eve", "").join();
      agent.settle();
      assertThat(agent.result(run).map(AgentRun::output).map(JsonNode::asText)).contains("done");
    }
  }

  @Test
  void thePlansWorkingSetIsDeclaredAndOverlapsAreShown() {
    Scope leases = Scope.colony("test", "test").namespace(WorkingSetCapability.NAMESPACE);
    model
        .expect("Plan how your goals are reached.")
        .calls(
            "plan",
            plan(
                reads("a", P, Q),
                reads("b", Q).set("after", JsonNodeFactory.instance.arrayNode().add("s")),
                action("f", "reader.fail", Map.of()),
                action("s", "reader.sign", Map.of())));
    model
        .expect(
            "failed: `f` failed",
            "The agent other is going to read 1 of the pages of your plan too, 100% of them.")
        .calls("go_on", Map.of());
    model.expect("exhausted").calls("complete", Map.of("result", "done"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      Declared other = new Declared("other", List.of(new PageUse(Q.value(), 1, 0, 100)), 100);
      agent
          .blackboard(leases)
          .write(Write.of("other", JsonValues.toJson(other)))
          .toCompletableFuture()
          .join();
      RunId run = agent.ask("Read");
      agent.settle();
      Declared declared =
          (Declared)
              JsonValues.read(
                  agent
                      .blackboard(leases)
                      .read("agent")
                      .toCompletableFuture()
                      .join()
                      .orElseThrow()
                      .value(),
                  Declared.class);
      assertThat(declared.pages()).extracting(PageUse::page).containsExactly(Q.value());
      agent.handle().approve(CacheAwareActionPolicyTest.request(agent, "s"), "eve", "").join();
      agent.settle();
      assertThat(agent.result(run).map(AgentRun::output).map(JsonNode::asText)).contains("done");
      assertThat(agent.blackboard(leases).read("agent").toCompletableFuture().join())
          .as("released at the end")
          .isEmpty();
    }
  }

  @Test
  void aPlannerFindsListsAndReadsPages() {
    table.holds(P);
    model
        .expect("Plan how your goals are reached.", "`page_search`")
        .calls(
            "plan",
            plan(
                    action("s", "page_search", Map.of("question", "how are runs sorted?")),
                    action("f", "page_fetch", Map.of("page", "$results.s.0.page.page")),
                    action("n", "page_neighbours", Map.of("page", P.value())),
                    action("l", "page_list", Map.of()))
                .set(
                    "result",
                    JsonNodeFactory.instance
                        .objectNode()
                        .put("found", "$results.s.0.page.files.0")
                        .put("cached", "$results.s.0.page.cached")
                        .put("text", "$results.f.text")
                        .put("near", "$results.n.0.page")
                        .put("all", "$results.l")));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      JsonNode output = agent.run("Read").output();
      assertThat(output.path("found").asText()).isEqualTo("Merge.java:1-3");
      assertThat(output.path("cached").asBoolean()).isTrue();
      assertThat(output.path("text").asText()).contains("sortRuns");
      assertThat(output.path("near").asText()).isEqualTo(Q.value());
      assertThat(output.path("all").size()).isEqualTo(3);
    }
  }
}
