package dev.colony.library.plan;

import static dev.colony.library.plan.PageShelf.P;
import static dev.colony.library.plan.PageShelf.Q;
import static dev.colony.library.plan.PageShelf.R;
import static dev.colony.library.plan.PageShelf.action;
import static dev.colony.library.plan.PageShelf.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.library.page.PageCapability.Source;
import dev.colony.library.page.PageGraphCapability;
import dev.colony.library.page.PageGraphs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.store.PageBranch;
import dev.colony.vcm.table.HolderLeases;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What planners do with pages: map, lock, request, watch, and the page graph. */
class PageActionsTest {

  private static final String PLAN = "Plan how your goals are reached.";

  private final FakeModel model = FakeModel.start();
  private final PageShelf shelf = new PageShelf();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent() {
    return shelf.agent(model, PlanArgs.NONE);
  }

  private HolderLeases leases() {
    return shelf.table.leases().of("test/test/agent");
  }

  private static ObjectNode on(String name, String key, PageId... pages) {
    ObjectNode action = action(name, key, Map.of());
    List.of(pages)
        .forEach(page -> action.withObject("/parameters").withArray("pages").add(page.value()));
    return action;
  }

  private static ObjectNode after(ObjectNode action, String before) {
    action.putArray("after").add(before);
    return action;
  }

  private static void approve(TestAgent agent) {
    agent.handle().approve(PlanScript.request(agent, "s"), "eve", "").join();
    agent.settle();
  }

  private static JsonNode output(TestAgent agent, RunId run) {
    return agent.result(run).map(AgentRun::output).orElseThrow();
  }

  @Test
  void pagesAreChangedInABranchThatOthersDoNotSeeBeforeItIsMerged() {
    ObjectNode open = action("o", "branch_open", Map.of("map", "m"));
    ObjectNode write =
        after(
            action(
                "w",
                "branch_write",
                Map.of(
                    "map",
                    "m",
                    "name",
                    "Tea.java",
                    "text",
                    "class Coffee {}\n",
                    "address",
                    R.value())),
            "o");
    ObjectNode remove =
        after(action("d", "branch_remove", Map.of("map", "m", "address", Q.value())), "w");
    ObjectNode read =
        after(action("r", "branch_read", Map.of("map", "m", "address", R.value())), "d");
    ObjectNode sign = after(action("s", "reader.sign", Map.of()), "r");
    ObjectNode merge = after(action("m", "branch_merge", Map.of("map", "m")), "s");
    model
        .expect(PLAN, "`branch_open`", "`branch_write`", "`branch_settle`", "`branch_discard`")
        .calls(
            "plan", plan(open, write, remove, read, sign, merge).put("result", "$results.r.text"));
    try (TestAgent agent = agent()) {
      RunId run = agent.ask("Change");
      agent.settle();
      assertThat(trunk(agent)).as("nothing is merged").containsExactly(P, Q, R);
      agent.crash();
      approve(agent);
      assertThat(output(agent, run).asText()).contains("=== Tea.java", "class Coffee {}");
      assertThat(trunk(agent)).hasSize(2).startsWith(P).doesNotContain(Q, R);
      VirtualContextPage written = shelf.pages.pages(List.of(trunk(agent).getLast())).getFirst();
      assertThat(written.text()).contains("class Coffee {}");
    }
  }

  @Test
  void aBranchThatIsInConflictIsSettledOrDiscarded() {
    ObjectNode open = action("o", "branch_open", Map.of("map", "m"));
    ObjectNode remove =
        after(action("d", "branch_remove", Map.of("map", "m", "address", Q.value())), "o");
    ObjectNode sign = after(action("s", "reader.sign", Map.of()), "d");
    ObjectNode merge = after(action("m", "branch_merge", Map.of("map", "m")), "s");
    ObjectNode settle = after(action("t", "branch_settle", Map.of("map", "m")), "m");
    settle.withObject("/parameters").put("ours", false);
    ObjectNode again = after(action("a", "branch_open", Map.of("map", "m")), "t");
    ObjectNode discard = after(action("x", "branch_discard", Map.of("map", "m")), "a");
    model
        .expect(PLAN, "`branch_merge`")
        .calls(
            "plan",
            plan(open, remove, sign, merge, settle, again, discard)
                .put("result", "$results.m.conflicts.0.theirs"));
    try (TestAgent agent = agent()) {
      RunId run = agent.ask("Settle");
      agent.settle();
      shelf.branches(agent).open("other", "m");
      shelf.branches(agent).write("other", "m", Q, shelf.pages.pages(List.of(R)).getFirst());
      shelf.branches(agent).merge("other", "m");
      approve(agent);
      assertThat(output(agent, run).asText()).isEqualTo(R.value());
      assertThat(trunk(agent)).as("theirs stands").containsExactly(P, R, R);
      assertThat(shelf.branches(agent).branch("agent", "m").orElseThrow().status())
          .isEqualTo(PageBranch.Status.DISCARDED);
    }
  }

  private List<PageId> trunk(TestAgent agent) {
    return shelf.branches(agent).trunk("m").orElseThrow().pages();
  }

  @Test
  void lockedPagesAreLeasesThatEndWithTheRun() {
    ObjectNode lock = on("p", "page_lock", P, Q);
    lock.withObject("/parameters").put("seconds", 60);
    ObjectNode extend = after(on("e", "page_extend", P), "p");
    extend.withObject("/parameters").put("seconds", 120);
    ObjectNode unlock = after(on("u", "page_unlock", Q), "e");
    ObjectNode sign = after(action("s", "reader.sign", Map.of()), "u");
    model
        .expect(PLAN, "`page_lock`", "`page_unlock`", "`page_extend`")
        .calls("plan", plan(lock, extend, unlock, sign).put("result", "$results.p.0.page"));
    try (TestAgent agent = agent()) {
      RunId run = agent.ask("Lock");
      agent.settle();
      assertThat(leases().locks()).containsOnlyKeys(P);
      assertThat(leases().locks().get(P)).isEqualTo(shelf.time.instant().plusSeconds(120));
      agent.crash();
      approve(agent);
      assertThat(output(agent, run).asText()).isEqualTo(P.value());
      assertThat(leases().locks()).as("released at the end of the run").isEmpty();
    }
  }

  @Test
  void aLockEndsByItselfAndIsBounded() {
    ObjectNode lock = on("p", "page_lock", P);
    lock.withObject("/parameters").put("seconds", 60);
    ObjectNode longer = on("l", "page_lock", Q);
    longer.withObject("/parameters").put("seconds", 7200);
    model
        .expect(PLAN)
        .calls(
            "plan",
            plan(
                lock,
                longer,
                on("o", "page_lock", new PageId("x".repeat(26))),
                action("s", "reader.sign", Map.of())));
    model
        .expect(
            "failed: `l` failed: a page is locked for 1 ms to 3600 s," + " not 7200 s",
            "failed: `o` failed",
            "is none of this agent's")
        .calls("go_on", Map.of());
    try (TestAgent agent = agent()) {
      agent.ask("Lock");
      agent.settle();
      assertThat(leases().locks()).hasSize(1);
      agent.advance(Duration.ofSeconds(61));
      assertThat(leases().locks()).isEmpty();
    }
  }

  @Test
  void pagesThatAreAskedForAreLoadedBehindThePreamble() {
    shelf.table.holds(P);
    ObjectNode request = on("q", "page_request", P, Q);
    request.withObject("/parameters").put("priority", 7);
    ObjectNode sign = after(action("s", "reader.sign", Map.of()), "q");
    model
        .expect(PLAN, "`page_request`")
        .calls("plan", plan(request, sign).put("result", "$results.q"));
    model
        .expect("a call that loads", prompt -> loads(prompt))
        .answer(prompt -> {
          shelf.table.holds(P, Q);
          return "yes";
        });
    Source source = new Source(Optional.empty(), Optional.of("You read pages."));
    try (TestAgent agent = shelf.agent(model, PlanArgs.NONE, source)) {
      RunId run = agent.ask("Request");
      agent.settle();
      assertThat(leases().requests().get(Q).priority()).isEqualTo(7);
      approve(agent);
      JsonNode requested = output(agent, run);
      assertThat(requested.path("faults")).isEmpty();
      assertThat(requested.path("placed")).hasSize(2);
      assertThat(leases().isEmpty()).as("taken back at the end of the run").isTrue();
    }
  }

  private static boolean loads(FakeModel.Prompt prompt) {
    return prompt.text().contains("You read pages.")
        && prompt.text().contains("mergeRuns")
        && !prompt.text().contains("sortRuns");
  }

  @Test
  void whatIsInNoCacheStaysAFaultWithoutAPreamble() {
    model
        .expect(PLAN)
        .calls("plan", plan(on("q", "page_request", Q)).put("result", "$results.q.faults.0"));
    try (TestAgent agent = agent()) {
      assertThat(agent.run("Request").output().asText()).isEqualTo(Q.value());
    }
  }

  @Test
  void aWatchEndsWhenAPageComes() throws InterruptedException {
    model
        .expect(PLAN, "`page_watch`")
        .calls("plan", plan(on("w", "page_watch", Q)).put("result", "$results.w.0.state"));
    Thread comes =
        Thread.ofVirtual()
            .start(() -> {
              await().until(shelf.table::watched);
              shelf.table.holds(P);
              shelf.table.holds(P, Q);
            });
    try (TestAgent agent = agent()) {
      assertThat(agent.run("Watch").output().asText()).isEqualTo("RESIDENT");
    }
    comes.join();
    assertThat(shelf.table.watched()).isFalse();
  }

  @Test
  void pagesOfAnotherMapAreReadWhileItIsMapped() {
    PageId other = new PageId("t".repeat(26));
    shelf.pages.save(
        new PageMap(
            "n",
            "other",
            List.of(
                new PageGroup(new PageGroupId("n".repeat(26)), "other", List.of(other, P), 100)),
            1),
        List.of(new VirtualContextPage(other, "tides turn twice a day", 100, List.of())));
    ObjectNode map = action("m", "page_map", Map.of("map", "n"));
    ObjectNode list = after(action("l", "page_list", Map.of()), "m");
    ObjectNode sign = after(action("s", "reader.sign", Map.of()), "l");
    ObjectNode fetch = after(action("f", "page_fetch", Map.of("page", other.value())), "s");
    ObjectNode unmap = after(action("u", "page_unmap", Map.of("map", "n")), "f");
    model
        .expect(PLAN, "`page_map`", "`page_unmap`")
        .calls("plan", plan(map, list, sign, fetch, unmap).put("result", "$results.f.text"));
    try (TestAgent agent = agent()) {
      RunId run = agent.ask("Read");
      agent.settle();
      agent.crash();
      approve(agent);
      assertThat(output(agent, run).asText()).isEqualTo("tides turn twice a day");
      assertThat(agent.steps().action("page_list").output()).hasSize(4);
    }
  }

  @Test
  void mapsThatAreNotStoredOrNotMappedAreRefused() {
    model
        .expect(PLAN)
        .calls(
            "plan",
            plan(
                action("x", "page_map", Map.of("map", "nowhere")),
                action("v", "page_unmap", Map.of("map", "n"))));
    model
        .expect("no page map nowhere", "page map n is not mapped")
        .calls("complete", Map.of("result", "refused"));
    try (TestAgent agent = agent()) {
      assertThat(agent.run("Read").output().asText()).isEqualTo("refused");
    }
  }

  @Test
  void theGraphIsWalkedAskedTaughtAndMeasured() {
    shelf.table.holds(R);
    ObjectNode walk = action("w", "graph_traverse", Map.of("strategy", "best_first"));
    walk.withObject("/parameters").putArray("startPages").add(P.value());
    ObjectNode route =
        action("r", "graph_route", Map.of("question", "how is tea made?", "from", P.value()));
    ObjectNode learn = after(action("t", "graph_learn", Map.of("from", P.value())), "r");
    learn.withObject("/parameters").putArray("asked").add(Q.value()).add(R.value());
    learn.withObject("/parameters").putArray("answered").add(R.value());
    ObjectNode leads = after(action("l", "graph_leads_to", Map.of("page", P.value())), "t");
    model
        .expect(PLAN, "`graph_traverse`", "`graph_route`")
        .calls("plan", plan(walk, route, learn, leads).put("result", "done"));
    try (TestAgent agent = agent()) {
      agent.run("Walk");
      JsonNode walked = agent.steps().action("graph_traverse").output();
      assertThat(walked.findValuesAsText("page")).containsExactly(P.value(), Q.value(), R.value());
      assertThat(walked.path(2).path("weight").asDouble()).isEqualTo(0.4);
      assertThat(walked.path(2).path("cached").asBoolean()).isTrue();
      JsonNode routed = agent.steps().action("graph_route").output();
      assertThat(routed.valueStream().map(JsonNode::asText))
          .as("what the asking page leads to")
          .containsExactlyInAnyOrder(Q.value(), R.value());
      assertThat(agent.steps().action("graph_leads_to").output().findValuesAsText("page"))
          .containsExactlyInAnyOrder(Q.value(), R.value());
      assertThat(shelf.graphs.load("m").edges(P).get(R).answered())
          .as("stored for all nodes")
          .isEqualTo(1);
    }
  }

  /** Sets an edge, as a program does. */
  @Registered("test.edges")
  public static final class EdgePolicy extends BaseActionPolicy {

    public EdgePolicy(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return state.history().isEmpty()
          ? new Decision.Act(
              Action.of(
                  "e",
                  "graph_update_edge",
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("source", P.value())
                      .put("target", R.value())
                      .put("weight", 0.9)))
          : Decision.Complete.with(
              JsonNodeFactory.instance.textNode(
                  state.history().getFirst().result().status().toString()));
    }
  }

  @Test
  void anEdgeIsSetByProgramsOnly() {
    try (TestAgent agent =
        TestAgent.of(
                AgentBlueprint.of(Blueprint.of("test.edges"))
                    .capability(
                        CapabilityBlueprint.of(
                            Blueprint.bind(PageGraphCapability.class, Source.of("m")))))
            .types(types -> types.add(EdgePolicy.class))
            .service(PageGraphs.class, new PageGraphs(shelf.graphs, shelf.time))
            .time(shelf.time)
            .start()) {
      assertThat(agent.run("Set").output().asText()).isEqualTo("SUCCEEDED");
    }
    assertThat(shelf.graphs.load("m").weight(P, R, shelf.time.instant())).isEqualTo(0.9);
    model
        .expect("a planner's prompt", prompt -> !prompt.text().contains("update_edge"))
        .calls("plan", plan(action("s", "reader.sign", Map.of())));
    try (TestAgent agent = agent()) {
      agent.ask("Sign");
      agent.settle();
    }
  }
}
