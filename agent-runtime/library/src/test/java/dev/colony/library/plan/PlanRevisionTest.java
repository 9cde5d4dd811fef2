package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.library.plan.PlanAction.Expectation;
import dev.colony.library.plan.PlanChange.Amendment;
import dev.colony.library.plan.PlanChange.PlanFacts;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.End;
import dev.colony.library.plan.PlanLevel.PlanItem.Outcome;
import dev.colony.library.plan.PlanMachine.PlanStep;
import dev.colony.library.plan.PlanRules.Trigger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What makes a plan doubtful, and what is done about it. */
class PlanRevisionTest extends PlanMachineFixture {
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
    rules = new PlanRules(PlanRules.Horizon.MPC, 16, 4, 4, 8, Set.of(), 0.1);
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
  void aPlanIsGivenUpWhenItWasRevisedAsOftenAsItMayBe() {
    rules = new PlanRules(PlanRules.Horizon.MPC, 16, 4, 4, 2, Set.of(), 0.1);
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
  void goingBackBehindADelegatedPartStopsTheChild() {
    PlanAction child =
        new PlanAction(
            "child",
            new PlanAction.SubPlan("count words", null, Optional.of("counter")),
            Expectation.NONE,
            List.of(),
            0,
            Optional.empty(),
            List.of(),
            false);
    plan(child, call("b").after("child"));
    succeeds("child.spawn");
    succeeds("child.await");
    ends("b", End.FAILED, null);
    amend(new Amendment.Backtrack("child", PlanDraft.of(call("c"))));
    PlanStep.Due undo = ((PlanStep.Compensate) next()).action();
    assertThat(undo.key()).isEqualTo("agent_terminate");
    assertThat(undo.params().path("name").asText()).isEqualTo("child");
  }

  @Test
  void thePartsOfWhatIsDroppedAreDropped() {
    plan(call("a"), PlanAction.subPlan("b", "the part"));
    state =
        change().planned(state, "b", PlanDraft.of(call("c"), PlanAction.subPlan("d", "deeper")));
    state = change().planned(state, "b.d", PlanDraft.of(call("e")));
    succeeds("b.c");
    ends("a", End.FAILED, null);
    amend(new Amendment.Revise(PlanDraft.of(call("f")), Set.of()));
    assertThat(state.items())
        .extracting(one -> one.id() + " " + one.status())
        .containsExactlyInAnyOrder(
            "a DROPPED", "b DROPPED", "b.c DONE", "b.d DROPPED", "b.d.e DROPPED", "f PENDING");
    assertThat(String.join("\n", PlanText.lines(state))).contains("    - e [dropped] `do.e`");
  }
}
