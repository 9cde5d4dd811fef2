package dev.colony.library.plan;

import static dev.colony.library.plan.PageShelf.P;
import static dev.colony.library.plan.PageShelf.Q;
import static dev.colony.library.plan.PageShelf.TYPES;
import static dev.colony.library.plan.PageShelf.done;
import static dev.colony.library.plan.PageShelf.plan;
import static dev.colony.library.plan.PageShelf.reads;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.author.JsonValues;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.table.PageTable;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a model says that actions cost: which draft is taken, in which order, and how much. */
class PlanCostTest {

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
  void ofDraftsThatWouldDoTheOneThatIsSaidToCostLeastIsTaken() {
    ObjectNode dear = plan(reads("dear", P).put("cost", 5_000)).put("result", "dear");
    ObjectNode cheap = plan(reads("cheap", P).put("cost", 400)).put("result", "cheap");
    model
        .expect("Plan how your goals are reached.")
        .calls("plan", dear.set("alternatives", JsonNodeFactory.instance.arrayNode().add(cheap)));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      assertThat(agent.run("Read").output().asText()).isEqualTo("cheap");
      assertThat(done(agent)).containsExactly("cheap");
    }
  }

  @Test
  void ofActionsOnTheSamePagesTheCheaperOneIsTakenFirst() {
    PlanArgs.Rules oneByOne =
        (PlanArgs.Rules)
            JsonValues.read(
                JsonNodeFactory.instance.objectNode().put("parallel", 1), PlanArgs.Rules.class);
    model
        .expect("Plan how your goals are reached.")
        .calls(
            "plan",
            plan(
                    reads("a", P).put("cost", 900),
                    reads("b", Q).put("cost", 100),
                    reads("c", P).put("cost", 100))
                .put("result", "done"));
    try (TestAgent agent = agent(PlanArgs.NONE.rules(oneByOne).cacheTokens(100))) {
      agent.run("Read");
      assertThat(done(agent)).containsExactly("c", "a", "b");
    }
  }

  @Test
  void aPlanThatCostsMoreThanTheBudgetHasGoesBackToTheModel() {
    model
        .expect("Plan how your goals are reached.")
        .usage(100, 0, 10)
        .calls("plan", plan(reads("a", P).put("cost", 500_000)).put("result", "dear"));
    model
        .expect("its actions cost 500,000 tokens by what it says, but 90,000 are left")
        .calls("plan", plan(reads("a", P).put("cost", 500)).put("result", "cheap"));
    AgentBlueprint bounded =
        AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE))
            .capability(CapabilityBlueprint.of(Blueprint.of("test.reader")))
            .budget(
                new RunBudget(
                    Optional.empty(), Optional.empty(), Optional.of(90_000L), Optional.empty()));
    try (TestAgent agent =
        TestAgent.of(bounded)
            .types(TYPES)
            .service(PageStore.class, shelf.pages)
            .service(PageTable.class, shelf.table)
            .model(model)
            .start()) {
      assertThat(agent.run("Read").output().asText()).isEqualTo("cheap");
    }
  }
}
