package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.library.plan.PlanItem.End;
import dev.colony.library.plan.PlanItem.Outcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanMachineTest {

  private static final CacheContext.Pages NO_PAGES = CacheContext.Pages.UNKNOWN;

  private PlanRules rules = PlanRules.DEFAULTS;
  private PlanState state = PlanState.of("run", "the goal");

  private PlanMachine machine() {
    return new PlanMachine(rules);
  }

  private PlanChange change() {
    return new PlanChange(rules);
  }

  private PlanStep next() {
    return machine().next(state, NO_PAGES);
  }

  private static PlanAction call(String name) {
    return PlanAction.call(name, "do." + name, JsonNodeFactory.instance.objectNode());
  }

  private static PlanAction call(String name, String param) {
    return PlanAction.call(name, "do", JsonNodeFactory.instance.objectNode().put("of", param));
  }

  private void plan(PlanAction... actions) {
    state = change().planned(state, PlanState.ROOT, PlanDraft.of(actions));
  }

  private void ends(String id, End end, JsonNode output) {
    state =
        change()
            .performed(
                state,
                id,
                new Outcome(
                    "run",
                    id,
                    end,
                    output,
                    true,
                    false,
                    end == End.SUCCEEDED ? "" : "bad",
                    Optional.empty()));
  }

  private void succeeds(String id) {
    ends(id, End.SUCCEEDED, TextNode.valueOf("ok"));
  }

  private List<String> due() {
    assertThat(next()).isInstanceOf(PlanStep.Perform.class);
    return ((PlanStep.Perform) next()).actions().stream().map(PlanStep.Due::item).toList();
  }

  private PlanStep.Revise revise() {
    assertThat(next()).isInstanceOf(PlanStep.Revise.class);
    return (PlanStep.Revise) next();
  }

  private void amend(Amendment amendment) {
    PlanStep.Revise asked = revise();
    state = change().amended(state, asked.level(), asked.triggers(), amendment, "because");
  }

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
  void aFailedActionIsReplannedAndItsSuccessorOfTheSameNameSatisfiesWhatWaitsForIt() {
    plan(call("a"), call("b", "$results.a"));
    ends("a", End.FAILED, null);
    assertThat(revise().triggers().getFirst().toString()).isEqualTo("failed: `a` failed: bad");
    amend(new Amendment.Add(PlanDraft.of(call("a"))));
    assertThat(due()).containsExactly("a-2");
    succeeds("a-2");
    PlanStep.Due b = ((PlanStep.Perform) next()).actions().getFirst();
    assertThat(b.params().path("of").asText()).isEqualTo("$results.a-2");
  }

  @Test
  void whatFailedCanBeDoneWithout() {
    plan(call("a"), call("b").after("a"));
    ends("a", End.FAILED, null);
    amend(new Amendment.GoOn());
    assertThat(due()).containsExactly("b");
  }

  @Test
  void whatNothingIsGoingToSatisfyIsToldToThePlanner() {
    plan(call("a"), call("b").after("a"));
    ends("a", End.FAILED, null);
    amend(new Amendment.Revise(PlanDraft.of(call("c")), Set.of("b")));
    succeeds("c");
    assertThat(revise().triggers())
        .containsExactly(
            new Trigger(
                Trigger.Kind.STUCK, PlanState.ROOT, "`b` waits for `a`, which was dropped"));
  }

  @Test
  void anOutputThatIsNotAsExpectedAsksThePlannerAndOneThatIsDoesNot() {
    Expectation three =
        new Expectation("three of them", Optional.empty(), Map.of("count", IntNode.valueOf(3)));
    plan(call("a").expects(three), call("b").expects(three), call("c").after("a", "b"));
    ends("a", End.SUCCEEDED, JsonNodeFactory.instance.objectNode().put("count", 3.0));
    assertThat(due()).containsExactly("b");
    ends("b", End.SUCCEEDED, JsonNodeFactory.instance.objectNode().put("count", 2));
    assertThat(revise().triggers().getFirst().toString())
        .isEqualTo("unexpected: `b`: count is 2, not 3");
  }

  @Test
  void anOutputIsHeldAgainstTheSchemaThatIsExpected() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "string");
    plan(call("a").expects(new Expectation("", Optional.of(schema), Map.of())));
    ends("a", End.SUCCEEDED, IntNode.valueOf(1));
    assertThat(revise().triggers().getFirst().kind()).isEqualTo(Trigger.Kind.UNEXPECTED);
  }

  @Test
  void aTriggerThatIsNotHeededChangesNothing() {
    rules = new PlanRules(PlanRules.Horizon.MPC, 16, 4, 4, 8, Set.of(), Map.of(), 0, 0.1);
    plan(call("a"));
    state = change().observed(state, PlanFacts.NONE.news("rain"));
    assertThat(due()).containsExactly("a");
  }

  @Test
  void anAssumptionIsBrokenByAKeyThatItsPatternMatches() {
    state =
        change()
            .planned(
                state,
                PlanState.ROOT,
                new PlanDraft(List.of(call("a")), Map.of(), List.of("prices/*"), Optional.empty()));
    state = change().observed(state, PlanFacts.NONE.changed("stock/bread"));
    assertThat(due()).containsExactly("a");
    state = change().observed(state, PlanFacts.NONE.changed("prices/bread"));
    assertThat(revise().triggers().getFirst().detail()).isEqualTo("prices/bread has changed");
  }

  @Test
  void pagesThatAreGoneAndLittleBudgetAreToldOnce() {
    plan(call("a"));
    state =
        change().observed(state, new PlanFacts(List.of(), Set.of(), Set.of("p1"), Set.of(), 0.05));
    assertThat(revise().triggers())
        .extracting(Trigger::kind)
        .containsExactly(Trigger.Kind.PAGES, Trigger.Kind.BUDGET);
    amend(new Amendment.GoOn());
    state = change().observed(state, new PlanFacts(List.of(), Set.of(), Set.of(), Set.of(), 0.04));
    assertThat(due()).containsExactly("a");
  }

  @Test
  void aPlanIsLookedAtAfterSoManyActions() {
    rules =
        new PlanRules(
            PlanRules.Horizon.MPC, 16, 4, 4, 8, Set.of(Trigger.Kind.STEPS), Map.of(), 2, 0.1);
    plan(call("a"), call("b"), call("c"));
    succeeds("a");
    assertThat(due()).containsExactly("b", "c");
    succeeds("b");
    assertThat(revise().triggers().getFirst().kind()).isEqualTo(Trigger.Kind.STEPS);
  }

  @Test
  void goingBackTakesWhatWasDoneBackInReverseOrder() {
    PlanAction.Call undo =
        new PlanAction.Call(
            "undo", JsonNodeFactory.instance.objectNode().put("id", "$results.a.id"));
    plan(call("z"), call("a").undo(undo), call("b").undo(undo), call("c"), call("d").after("c"));
    succeeds("z");
    succeeds("a");
    succeeds("b");
    ends("c", End.FAILED, null);
    amend(new Amendment.Backtrack("a", PlanDraft.of(call("e"))));
    PlanStep.Compensate first = (PlanStep.Compensate) next();
    assertThat(first.action().actionId()).isEqualTo("b.undo");
    state = change().compensated(state, outcome("b.undo", End.SUCCEEDED));
    PlanStep.Compensate second = (PlanStep.Compensate) next();
    assertThat(second.action().actionId()).isEqualTo("a.undo");
    assertThat(second.action().params().path("id").asText()).isEqualTo("$results.a.id");
    state = change().compensated(state, outcome("a.undo", End.SUCCEEDED));
    assertThat(due()).containsExactly("e");
    assertThat(state.item("z").orElseThrow().status()).isEqualTo(PlanItem.Status.DONE);
    assertThat(state.item("d").orElseThrow().status()).isEqualTo(PlanItem.Status.DROPPED);
  }

  private static Outcome outcome(String id, End end) {
    return new Outcome(
        "run", id, end, null, true, false, end == End.SUCCEEDED ? "" : "bad", Optional.empty());
  }

  @Test
  void whatCannotBeTakenBackIsToldAndNotTriedAgain() {
    PlanAction.Call undo = new PlanAction.Call("undo", null);
    plan(call("a").undo(undo), call("b").after("a"));
    succeeds("a");
    ends("b", End.FAILED, null);
    amend(new Amendment.Backtrack("a", PlanDraft.of(call("c"))));
    state = change().compensated(state, outcome("a.undo", End.FAILED));
    assertThat(revise().triggers().getFirst().detail())
        .isEqualTo("what `a` did was not taken back: bad");
    amend(new Amendment.GoOn());
    assertThat(due()).containsExactly("c");
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
    assertThat(state.position()).extracting(PlanItem::id).containsExactly("b", "b.y");
    assertThat(due()).containsExactly("b.y.q");
    succeeds("b.y.q");
    assertThat(due()).as("both levels are done").containsExactly("c");
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
    rules = new PlanRules(PlanRules.Horizon.TOP_DOWN, 16, 4, 4, 8, Set.of(), Map.of(), 0, 0.1);
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
    rules = new PlanRules(PlanRules.Horizon.MPC, 16, 4, 1, 8, Set.of(), Map.of(), 0, 0.1);
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
  void aRuleDecidesWithoutThePlanner() {
    EnumMap<Trigger.Kind, PlanRules.Rule> byRule = new EnumMap<>(Trigger.Kind.class);
    byRule.put(Trigger.Kind.FAILED, PlanRules.Rule.ESCALATE);
    rules = new PlanRules(PlanRules.Horizon.MPC, 16, 4, 4, 8, Set.of(), byRule, 0, 0.1);
    plan(call("a"));
    ends("a", End.FAILED, null);
    PlanStep.Amend amend = (PlanStep.Amend) next();
    state = change().amended(state, amend.level(), amend.triggers(), amend.amendment(), "");
    PlanStep.AwaitAnswer asked = (PlanStep.AwaitAnswer) next();
    assertThat(asked.escalation().question()).isEqualTo("failed: `a` failed: bad");
    state = change().answered(state, "use the other door");
    assertThat(revise().triggers())
        .extracting(Trigger::kind)
        .containsExactly(Trigger.Kind.ANSWERED);
  }

  @Test
  void aPlanIsGivenUpWhenItWasRevisedAsOftenAsItMayBe() {
    rules = new PlanRules(PlanRules.Horizon.MPC, 16, 4, 4, 2, Set.of(), Map.of(), 0, 0.1);
    plan(call("a"));
    ends("a", End.FAILED, null);
    amend(new Amendment.Add(PlanDraft.of(call("a"))));
    ends("a-2", End.FAILED, null);
    amend(new Amendment.Add(PlanDraft.of(call("a"))));
    ends("a-3", End.FAILED, null);
    assertThat(next())
        .isEqualTo(
            new PlanStep.GiveUp(
                "the plan was revised 2 times, as often as it may be; last for this reason: "
                    + "failed: `a` failed: bad"));
  }

  @Test
  void aPartThatIsGivenUpIsAFailureOfTheLevelAbove() {
    plan(PlanAction.subPlan("a", "part"), call("b").after("a"));
    state = change().planned(state, "a", PlanDraft.of(call("x")));
    ends("a.x", End.FAILED, null);
    assertThat(revise().level()).isEqualTo("a");
    amend(new Amendment.GiveUp("no way"));
    assertThat(revise())
        .isEqualTo(
            new PlanStep.Revise(
                PlanState.ROOT,
                List.of(
                    new Trigger(Trigger.Kind.FAILED, PlanState.ROOT, "`a` was given up: no way"))));
  }

  @Test
  void startingAnewUsesOtherIds() {
    plan(call("a"), call("b").after("a"));
    succeeds("a");
    ends("b", End.FAILED, null);
    amend(new Amendment.StartAnew(PlanDraft.of(call("a"), call("b", "$results.a"))));
    assertThat(due()).containsExactly("~2.a");
    succeeds("~2.a");
    PlanStep.Due b = ((PlanStep.Perform) next()).actions().getFirst();
    assertThat(b.params().path("of").asText()).isEqualTo("$results.~2.a");
  }

  @Test
  void revisionsAreRememberedWithTheirReasons() {
    plan(call("a"));
    ends("a", End.FAILED, null);
    amend(new Amendment.GoOn());
    assertThat(state.level(PlanState.ROOT).revisions())
        .containsExactly(
            new PlanLevel.Revision(1, List.of("failed: `a` failed: bad"), "go on", "because"));
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
    rules = new PlanRules(PlanRules.Horizon.MPC, 3, 1, 4, 8, Set.of(), Map.of(), 0, 0.1);
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
