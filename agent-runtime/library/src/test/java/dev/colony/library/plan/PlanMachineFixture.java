package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.library.plan.PlanChange.Amendment;
import dev.colony.library.plan.PlanLevel.PlanItem.End;
import dev.colony.library.plan.PlanLevel.PlanItem.Outcome;
import dev.colony.library.plan.PlanMachine.PlanStep;
import java.util.List;
import java.util.Optional;

/** One plan that a test has carried out, action by action. */
abstract class PlanMachineFixture {

  static final CacheContext.Pages NO_PAGES = CacheContext.Pages.UNKNOWN;

  PlanRules rules = PlanRules.DEFAULTS;
  PlanState state = PlanState.of("run", "the goal");

  PlanMachine machine() {
    return new PlanMachine(rules);
  }

  PlanChange change() {
    return new PlanChange(rules);
  }

  PlanStep next() {
    return machine().next(state, NO_PAGES);
  }

  static PlanAction call(String name) {
    return PlanAction.call(name, "do." + name, JsonNodeFactory.instance.objectNode());
  }

  static PlanAction call(String name, String param) {
    return PlanAction.call(name, "do", JsonNodeFactory.instance.objectNode().put("of", param));
  }

  void plan(PlanAction... actions) {
    state = change().planned(state, PlanState.ROOT, PlanDraft.of(actions));
  }

  void ends(String id, End end, JsonNode output) {
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

  void succeeds(String id) {
    ends(id, End.SUCCEEDED, TextNode.valueOf("ok"));
  }

  List<String> due() {
    assertThat(next()).isInstanceOf(PlanStep.Perform.class);
    return ((PlanStep.Perform) next()).actions().stream().map(PlanStep.Due::item).toList();
  }

  PlanStep.Revise revise() {
    assertThat(next()).isInstanceOf(PlanStep.Revise.class);
    return (PlanStep.Revise) next();
  }

  void amend(Amendment amendment) {
    PlanStep.Revise asked = revise();
    state = change().amended(state, asked.level(), asked.triggers(), amendment, "because");
  }
}
