package dev.colony.library.plan;

import static dev.colony.library.plan.PageShelf.P;
import static dev.colony.library.plan.PageShelf.Q;
import static dev.colony.library.plan.PageShelf.action;
import static dev.colony.library.plan.PageShelf.done;
import static dev.colony.library.plan.PageShelf.plan;
import static dev.colony.library.plan.PageShelf.reads;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.library.plan.CacheContext.PageUse;
import dev.colony.library.plan.WorkingSetCapability.Declared;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plans over pages: their order, what is declared, and pages that are lost. */
class PlanPagesTest {

  private final FakeModel model = FakeModel.start();
  private final PageShelf shelf = new PageShelf();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(PlanArgs args) {
    return shelf.agent(model, args);
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
    shelf.table.holds(P, Q);
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
      shelf.table.holds(P);
      agent.handle().approve(PlanScript.request(agent, "a"), "eve", "").join();
      agent.settle();
      assertThat(done(agent)).contains("b");
      shelf.table.holds(P, Q);
      agent.handle().approve(PlanScript.request(agent, "s"), "eve", "").join();
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
      agent.handle().approve(PlanScript.request(agent, "s"), "eve", "").join();
      agent.settle();
      assertThat(agent.result(run).map(AgentRun::output).map(JsonNode::asText)).contains("done");
      assertThat(agent.blackboard(leases).read("agent").toCompletableFuture().join())
          .as("released at the end")
          .isEmpty();
    }
  }

  @Test
  void aPlannerFindsListsAndReadsPages() {
    shelf.table.holds(P);
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
