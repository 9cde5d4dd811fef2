package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlanSettingsTest {

  private static PlanSettings settings(String hocon) {
    return PlanSettings.fromConfig(
        ConfigFactory.parseString("colony.agent.plan { " + hocon + " }")
            .withFallback(ConfigFactory.defaultReference())
            .resolve());
  }

  private static PlanState revised(int times) {
    PlanChange change =
        new PlanChange(PlanRules.DEFAULTS, settings("revisions-kept = 2").revisionsKept());
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
  void aLevelRemembersAsManyRevisionsAsIsSet() {
    assertThat(revised(5).level(PlanState.ROOT).revisions())
        .extracting(PlanLevel.Revision::reason)
        .containsExactly("reason 4", "reason 5");
  }

  @Test
  void aTreeHasLinesOfTheLengthAndTheRevisionsThatAreSet() {
    List<String> lines =
        PlanText.lines(
            revised(2), settings("line-chars = 60, params-chars = 20, revisions-shown = 1"));
    assertThat(lines).allMatch(line -> line.length() <= 60);
    assertThat(lines).filteredOn(line -> line.contains("Revision")).hasSize(1);
    assertThat(PlanText.lines(revised(2), PlanSettings.DEFAULTS))
        .filteredOn(line -> line.contains("Revision"))
        .hasSize(2);
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
        new PlanChange(PlanRules.DEFAULTS, 1)
            .planned(PlanState.of("run", "the goal"), PlanState.ROOT, PlanDraft.of(dear));
    assertThat(PlanText.lines(state, PlanSettings.DEFAULTS))
        .anyMatch(line -> line.endsWith("costs 1,200 tokens"));
  }

  @Test
  void aValueOutOfItsRangeIsRefusedWithItsPath() {
    assertThatThrownBy(() -> settings("revisions-kept = 0"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("colony.agent.plan.revisions-kept");
  }

  @Test
  void rulesThatAskForMoreThanIsSetAreRefused() {
    PlanSettings few = settings("most-parallel = 2");
    assertThatThrownBy(() -> few.checked(PlanRules.DEFAULTS))
        .hasMessage("parallel is 4, but colony.agent.plan.most-parallel is 2");
    assertThat(PlanSettings.DEFAULTS.checked(PlanRules.DEFAULTS)).isEqualTo(PlanRules.DEFAULTS);
  }
}
