package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.library.plan.PlanAction.Expectation;
import dev.colony.library.plan.PlanChange.Amendment;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.End;
import dev.colony.library.plan.PlanMachine.PlanStep;
import dev.colony.library.plan.PlanRules.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a plan needs next while it goes as expected, level by level. */
class PlanMachineTest extends PlanMachineFixture {
  @Test
  void withoutAPlanOneIsMade() {
    assertThat(next()).isEqualTo(new PlanStep.MakePlan(PlanState.ROOT, "the goal"));
  }

  @Test
  void whatWaitsForNothingIsCarriedOutSideBySideAndTheRestWhenItsNeedsAreDone() {
    plan(call("a"), call("b"), call("c", "$results.a.path"), call("d").after("b", "c"));
    assertThat(due()).containsExactly("a", "b");
    succeeds("a");
    assertThat(due()).containsExactly("b", "c");
    succeeds("b");
    succeeds("c");
    assertThat(due()).containsExactly("d");
  }

  @Test
  void noMoreActionsAreCarriedOutSideBySideThanTheRulesSay() {
    plan(call("a"), call("b"), call("c"), call("d"), call("e"));
    assertThat(due()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void aPlanThatSaysWhatItComesToCompletesWithoutAskingThePlannerAgain() {
    state =
        change()
            .planned(
                state,
                PlanState.ROOT,
                PlanDraft.of(call("a")).result(TextNode.valueOf("$results.a.text")));
    succeeds("a");
    assertThat(next())
        .isEqualTo(new PlanStep.ProposeCompletion(TextNode.valueOf("$results.a.text")));
  }

  @Test
  void anExhaustedPlanThatDoesNotSayWhatItComesToAsksWhetherTheGoalIsReached() {
    plan(call("a"));
    succeeds("a");
    assertThat(revise().triggers().getFirst().kind()).isEqualTo(Trigger.Kind.EXHAUSTED);
    amend(new Amendment.Complete(TextNode.valueOf("yes")));
    assertThat(next()).isEqualTo(new PlanStep.ProposeCompletion(TextNode.valueOf("yes")));
    assertThat(state.cycles()).as("going on is no replanning").isZero();
  }

  @Test
  void aRefusedCompletionGoesBackToThePlanner() {
    plan(call("a"));
    succeeds("a");
    amend(new Amendment.Complete(TextNode.valueOf("yes")));
    state = change().refused(state, "the sum is wrong");
    assertThat(revise().triggers())
        .containsExactly(new Trigger(Trigger.Kind.REFUSED, PlanState.ROOT, "the sum is wrong"));
    amend(new Amendment.Add(PlanDraft.of(call("b"))));
    assertThat(due()).containsExactly("b");
  }

  @Test
  void aSubPlanIsMadeWhenItsTurnComesAndThePositionIsKept() {
    plan(call("a"), PlanAction.subPlan("b", "the second part").after("a"), call("c").after("b"));
    assertThat(due()).containsExactly("a");
    succeeds("a");
    assertThat(next()).isEqualTo(new PlanStep.MakePlan("b", "the second part"));
    state =
        change()
            .planned(
                state, "b", PlanDraft.of(call("x"), PlanAction.subPlan("y", "deep").after("x")));
    assertThat(due()).containsExactly("b.x");
    succeeds("b.x");
    assertThat(next()).isEqualTo(new PlanStep.MakePlan("b.y", "deep"));
    state = change().planned(state, "b.y", PlanDraft.of(call("p"), call("q").after("p")));
    succeeds("b.y.p");
    assertThat(state.items())
        .filteredOn(one -> one.status() == PlanItem.Status.OPEN)
        .extracting(PlanItem::id)
        .containsExactly("b", "b.y");
    assertThat(due()).containsExactly("b.y.q");
    succeeds("b.y.q");
    assertThat(due()).as("both levels are done").containsExactly("c");
  }

  @Test
  void theQuestionsToComeAreCounted() {
    assertThat(state.questionsToCome()).as("a plan, and whether the goal is reached").isEqualTo(2);
    plan(call("a"), PlanAction.subPlan("b", "the second part").after("a"));
    assertThat(state.questionsToCome()).as("the plan of b, and the last one").isEqualTo(2);
    succeeds("a");
    assertThat(next()).isEqualTo(new PlanStep.MakePlan("b", "the second part"));
    state = change().planned(state, "b", PlanDraft.of(call("x"), PlanAction.subPlan("y", "deep")));
    assertThat(state.questionsToCome()).as("the plan of y, and the last one").isEqualTo(2);
    state = change().planned(state, "b.y", PlanDraft.of(call("p")));
    assertThat(state.questionsToCome()).isEqualTo(1);
  }

  @Test
  void aPlanThatSaysWhatItComesToHasNoLastQuestion() {
    state =
        change()
            .planned(
                state,
                PlanState.ROOT,
                PlanDraft.of(call("a")).result(TextNode.valueOf("$results.a.text")));
    assertThat(state.questionsToCome()).isZero();
  }

  @Test
  void aLevelReadsNamesThroughToThoseAboveAndItsOwnFirst() {
    state =
        change()
            .planned(
                state,
                PlanState.ROOT,
                new PlanDraft(
                    List.of(
                        call("a"),
                        PlanAction.subPlan("b", "part").after("a"),
                        call("c", "$results.b.0")),
                    Map.of("root", TextNode.valueOf("$results.a.dir"), "depth", IntNode.valueOf(1)),
                    List.of(),
                    Optional.empty()));
    succeeds("a");
    ObjectNode params =
        JsonNodeFactory.instance
            .objectNode()
            .put("root", "$root.first")
            .put("depth", "$depth")
            .put("result", "$results.a")
            .put("other", "$unknown");
    state =
        change()
            .planned(
                state,
                "b",
                new PlanDraft(
                    List.of(PlanAction.call("x", "do", params)),
                    Map.of("depth", IntNode.valueOf(2)),
                    List.of(),
                    Optional.of(JsonNodeFactory.instance.arrayNode().add("$results.x.lines"))));
    JsonNode given = ((PlanStep.Perform) next()).actions().getFirst().params();
    assertThat(given.path("root").asText()).isEqualTo("$results.a.dir.first");
    assertThat(given.path("depth").asInt()).isEqualTo(2);
    assertThat(given.path("result").asText()).isEqualTo("$results.a");
    assertThat(given.path("other").asText()).isEqualTo("$unknown");
    succeeds("b.x");
    JsonNode behind = ((PlanStep.Perform) next()).actions().getFirst().params();
    assertThat(behind.path("of").asText()).isEqualTo("$results.b.x.lines");
  }

  @Test
  void topDownPlansAllPartsBeforeAnythingIsExecuted() {
    rules = new PlanRules(PlanRules.Horizon.TOP_DOWN, 16, 4, 4, 8, Set.of(), 0.1);
    plan(call("a"), PlanAction.subPlan("b", "part"), PlanAction.subPlan("c", "part two"));
    assertThat(next()).isEqualTo(new PlanStep.MakePlan("b", "part"));
    state = change().planned(state, "b", PlanDraft.of(call("x")));
    assertThat(next()).isEqualTo(new PlanStep.MakePlan("c", "part two"));
    state = change().planned(state, "c", PlanDraft.of(call("y")));
    assertThat(due()).containsExactly("a", "b.x", "c.y");
  }

  @Test
  void whatSumsUpWaitsForAllParts() {
    plan(call("sum").aggregating(), call("p1"), call("p2"));
    assertThat(due()).containsExactly("p1", "p2");
    succeeds("p1");
    assertThat(due()).containsExactly("p2");
    succeeds("p2");
    assertThat(due()).containsExactly("sum");
  }

  @Test
  void aDelegatedPartIsSpawnedAndAwaitedWithoutAPlanOfItsOwn() {
    PlanAction child =
        new PlanAction(
            "child",
            new PlanAction.SubPlan(
                "count words", TextNode.valueOf("$results.a"), Optional.of("counter")),
            Expectation.NONE,
            List.of(),
            0,
            Optional.empty(),
            List.of(),
            false);
    plan(call("a"), child, call("b", "$results.child.words"));
    succeeds("a");
    PlanStep.Due spawn = ((PlanStep.Perform) next()).actions().getFirst();
    assertThat(spawn.key()).isEqualTo("agent_spawn");
    assertThat(spawn.params().path("kind").asText()).isEqualTo("counter");
    assertThat(spawn.params().at("/task/goal").asText()).isEqualTo("count words");
    assertThat(spawn.params().at("/task/input").asText()).isEqualTo("$results.a");
    succeeds("child.spawn");
    PlanStep.Due await = ((PlanStep.Perform) next()).actions().getFirst();
    assertThat(await.key()).isEqualTo("agent_await");
    assertThat(await.params().at("/names/0").asText()).isEqualTo("child");
    assertThat(await.params().path("suspend").asBoolean()).isTrue();
    assertThat(await.params().path("completed").asBoolean()).isTrue();
    ObjectNode done = JsonNodeFactory.instance.objectNode().put("status", "COMPLETED");
    ends("child.await", End.SUCCEEDED, JsonNodeFactory.instance.arrayNode().add(done));
    PlanStep.Due b = ((PlanStep.Perform) next()).actions().getFirst();
    assertThat(b.params().path("of").asText()).isEqualTo("$results.child.await.0.output.words");
  }

  @Test
  void whatCannotGoOnIsWaitedForAndTriedAgainUnderTheNextId() {
    plan(call("a"), call("b").after("a"));
    ends("a", End.BLOCKED, null);
    assertThat(next()).isInstanceOf(PlanStep.Await.class);
    state = change().woken(change().parked(state));
    PlanStep.Due again = ((PlanStep.Perform) next()).actions().getFirst();
    assertThat(again.item()).isEqualTo("a");
    assertThat(again.actionId()).isEqualTo("a~2");
  }

  @Test
  void actionsThatMayBeginAreTakenAsTheCacheHasTheirPages() {
    rules = new PlanRules(PlanRules.Horizon.MPC, 16, 4, 1, 8, Set.of(), 0.1);
    plan(
        call("a").pages(List.of("p")),
        call("b").pages(List.of("q")),
        call("c").pages(List.of("p")),
        call("d").pages(List.of("q")));
    CacheContext.Pages known =
        new CacheContext.Pages(Map.of("p", 100, "q", 100), Set.of(), 100, "");
    List<String> order = new ArrayList<>();
    for (int step = 0; step < 4; step++) {
      PlanStep.Perform perform = (PlanStep.Perform) machine().next(state, known);
      assertThat(perform.actions()).hasSize(1);
      order.add(perform.actions().getFirst().item());
      succeeds(order.getLast());
    }
    assertThat(order)
        .as("the page of an action that was done is still cached")
        .containsExactly("a", "c", "b", "d");
  }

  @Test
  void aPlanCarriedOnInAnotherRunRefersToWhatItKeptItself() {
    plan(call("a"), call("b", "$results.a.dir"));
    ends("a", End.SUCCEEDED, JsonNodeFactory.instance.objectNode().put("dir", "$src"));
    state = state.carriedOn("later");
    PlanStep.Due b = ((PlanStep.Perform) next()).actions().getFirst();
    assertThat(b.params().path("of").asText()).isEqualTo("$$src");
  }

  @Test
  void aDraftThatCannotBeCarriedOutSaysWhy() {
    PlanDraft draft =
        new PlanDraft(
            List.of(
                call("a").after("b"),
                call("b", "$results.a"),
                call("c").after("absent"),
                PlanAction.subPlan("d", "deep")),
            Map.of(),
            List.of(),
            Optional.empty());
    rules = new PlanRules(PlanRules.Horizon.MPC, 3, 1, 4, 8, Set.of(), 0.1);
    assertThat(machine().problems(state, PlanState.ROOT, draft, Set.of()))
        .containsExactlyInAnyOrder(
            "it has 4 actions, at most 3 are taken",
            "`c` needs `absent`, but there is no such action",
            "these actions wait for each other: a, b",
            "`d` cannot have a plan of its own: there are 1 levels at most");
    assertThat(machine().problems(state, PlanState.ROOT, PlanDraft.of(), Set.of()))
        .containsExactly("it has no actions, and does not say what it comes to without any");
  }
}
