package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.library.plan.PlanAction.Expectation;
import dev.colony.library.plan.PlanChange.Amendment;
import dev.colony.library.plan.PlanLevel.PlanItem.Status;
import dev.colony.library.plan.PlanText.PlanRow;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTextTest {

  private static PlanState revised(int times) {
    PlanChange change = new PlanChange(PlanRules.DEFAULTS);
    PlanAction wide =
        PlanAction.call(
            "a", "do", JsonNodeFactory.instance.objectNode().put("text", "x".repeat(1000)));
    PlanState state =
        change.planned(PlanState.of("run", "the goal"), PlanState.ROOT, PlanDraft.of(wide));
    for (int i = 1; i <= times; i++) {
      state = change.amended(state, PlanState.ROOT, List.of(), new Amendment.GoOn(), "reason " + i);
    }
    return state;
  }

  @Test
  void aLevelRemembersItsLastRevisions() {
    int kept = PlanLevel.REVISIONS_KEPT;
    assertThat(revised(kept + 3).level(PlanState.ROOT).revisions())
        .extracting(PlanLevel.Revision::number)
        .isEqualTo(IntStream.rangeClosed(4, kept + 3).boxed().toList());
  }

  @Test
  void aTreeHasLinesOfABoundedLengthAndTheLastRevisions() {
    List<String> lines = PlanText.lines(revised(PlanText.REVISIONS_SHOWN + 2));
    assertThat(lines).allMatch(line -> line.length() <= PlanText.LINE_CHARS);
    assertThat(lines)
        .filteredOn(line -> line.contains("Revision"))
        .hasSize(PlanText.REVISIONS_SHOWN);
    assertThat(PlanText.lines(revised(2))).filteredOn(line -> line.contains("Revision")).hasSize(2);
  }

  @Test
  void whatAnActionIsSaidToCostIsShown() {
    PlanAction dear =
        new PlanAction(
            "a",
            new PlanAction.Call("do", TextNode.valueOf("x")),
            Expectation.NONE,
            List.of(),
            1_200,
            Optional.empty(),
            List.of(),
            false);
    PlanState state =
        new PlanChange(PlanRules.DEFAULTS)
            .planned(PlanState.of("run", "the goal"), PlanState.ROOT, PlanDraft.of(dear));
    assertThat(PlanText.lines(state)).anyMatch(line -> line.endsWith("costs 1,200 tokens"));
  }

  @Test
  void aRowHasItsLevelAndWhatBecameOfItsAction() {
    PlanChange change = new PlanChange(PlanRules.DEFAULTS);
    PlanState state =
        change.planned(
            PlanState.of("run", "the goal"),
            PlanState.ROOT,
            PlanDraft.of(PlanAction.subPlan("rest", "the rest")));
    state =
        change.planned(
            state,
            "rest",
            PlanDraft.of(PlanAction.call("a", "do", JsonNodeFactory.instance.objectNode())));
    assertThat(PlanText.rows(state))
        .containsExactly(
            new PlanRow(0, Optional.empty(), Optional.empty(), "Goal: the goal"),
            new PlanRow(0, Optional.of("rest"), Optional.of(Status.OPEN), "the rest"),
            new PlanRow(1, Optional.of("a"), Optional.of(Status.PENDING), "`do` {}"));
    assertThat(PlanText.lines(state))
        .containsExactly("Goal: the goal", "- rest [open] the rest", "  - a [pending] `do` {}");
  }

  @Test
  void aPlanIsFoundAmongThePolicysEntriesAndOtherPoliciesEntriesAreNone() {
    PlanState state = PlanState.of("run", "the goal");
    ObjectNode entries = JsonNodeFactory.instance.objectNode();
    assertThat(PlanText.kept(entries)).isEmpty();
    entries.set(PlanText.ENTRY, JsonValues.toJson(state));
    assertThat(PlanText.kept(entries)).contains(state);
    entries.putObject(PlanText.ENTRY).put("tier", "gold");
    assertThat(PlanText.kept(entries)).isEmpty();
  }

  @Test
  void rulesThatAskForMoreThanMayBeAreRefused() {
    PlanRules usual = PlanRules.DEFAULTS;
    assertThatThrownBy(() ->
            new PlanRules(
                usual.horizon(),
                usual.ahead(),
                usual.depth(),
                65,
                usual.maxReplanCycles(),
                usual.triggers(),
                usual.budgetLow()))
        .hasMessage("parallel is 65, but must be 1 to 64");
  }
}
