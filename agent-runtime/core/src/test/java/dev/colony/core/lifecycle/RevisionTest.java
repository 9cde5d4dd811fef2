package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.vcm.PageGroupId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Blueprints that change while their agents live. */
class RevisionTest {

  private final Life life = LifeIn.phase(Phase.ITERATING);

  private static CapabilityBlueprint capability(String key) {
    return CapabilityBlueprint.of(Blueprint.of("more")).key(key);
  }

  private Verdict revise(BlueprintChange change) {
    return revise(change, life.word());
  }

  private Verdict revise(BlueprintChange change, Position signal) {
    return life.tell(
        new AgentCommand.Apply(new Intent.Revise(change, "because"), Optional.of(signal), Life.AT));
  }

  private void keep(String key) {
    ObjectNode kept = JsonNodeFactory.instance.objectNode().put("of", key);
    StepDelta delta =
        new StepDelta(
            null, List.of(), Map.of(key, kept), Optional.of(Set.of(key)), Optional.empty());
    life.tell(new AgentCommand.CompleteStep(ActionPolicyIterationResult.skipped(), delta, Life.AT));
  }

  private List<String> keys() {
    return life.state.blueprint().orElseThrow().capabilities().stream()
        .map(CapabilityBlueprint::capabilityKey)
        .toList();
  }

  private static String refusal(Verdict verdict) {
    return ((Verdict.Refused) verdict).reason();
  }

  @Test
  void capabilitiesComeAndGoAndChangesAreNumbered() {
    revise(BlueprintChange.adding(capability("a"), capability("b")));
    revise(BlueprintChange.removing("a"));
    assertThat(keys()).containsExactly("b");
    assertThat(life.state.revision().orElseThrow().number()).isEqualTo(2);
  }

  @Test
  void theStateOfThoseThatStayIsKeptAndOfThoseThatGoForgotten() {
    revise(BlueprintChange.adding(capability("a"), capability("b")));
    keep("a");
    keep("b");
    revise(BlueprintChange.removing("a"));
    assertThat(life.state.memory().capabilities()).containsOnlyKeys("b");
    assertThat(life.state.memory().disabled()).containsExactly("b");
  }

  @Test
  void aStepThatHasBegunBeforeLeavesNothingOfWhatIsGone() {
    revise(BlueprintChange.adding(capability("a")));
    revise(BlueprintChange.removing("a"));
    keep("a");
    assertThat(life.state.memory().capabilities()).isEmpty();
    assertThat(life.state.memory().disabled()).isEmpty();
  }

  @Test
  void aChangeGoesOnWithTheRunThatIsOpen() {
    life.tell(LifeIn.answer("c"));
    revise(BlueprintChange.adding(capability("a")));
    assertThat(life.state.active().orElseThrow().replies()).containsKey("c");
    life.recover();
    assertThat(life.work()).isInstanceOf(AgentEffect.Iterate.class);
    assertThat(keys()).containsExactly("a");
  }

  @Test
  void anAgentThatIsSuspendedIsRevisedAndAForkHasTheSame() {
    life.suspend(SuspensionCause.EXPLICIT, Optional.empty());
    revise(BlueprintChange.to(Life.BLUEPRINT.budget(RunBudget.OF_NODE.iterations(7))));
    life.recover();
    AgentBlueprint now = life.state.blueprint().orElseThrow();
    assertThat(now.budget().iterations()).contains(7);
  }

  @Test
  void whatIsSaidAgainOrLateMakesNoDifference() {
    Position first = life.word();
    Position second = life.word();
    revise(BlueprintChange.adding(capability("a")), second);
    assertThat(revise(BlueprintChange.adding(capability("a")), second))
        .isInstanceOf(Verdict.Repeated.class);
    assertThat(revise(BlueprintChange.adding(capability("b")), first))
        .isInstanceOf(Verdict.Repeated.class);
    assertThat(revise(BlueprintChange.to(life.state.blueprint().orElseThrow())))
        .isInstanceOf(Verdict.Repeated.class);
    assertThat(keys()).containsExactly("a");
  }

  @Test
  void whatCannotBeIsRefusedInOneLine() {
    revise(BlueprintChange.adding(capability("a")));
    assertThat(refusal(revise(BlueprintChange.adding(capability("a")))))
        .isEqualTo("two capabilities of an agent are named a: give one another key");
    assertThat(refusal(revise(BlueprintChange.removing("b"))))
        .isEqualTo("the agent has no capability b");
    AgentBlueprint bound =
        Life.BLUEPRINT.pages(new PageGroupId("a".repeat(26))).kind(AgentKind.VCM_BOUND);
    assertThat(refusal(revise(BlueprintChange.to(bound))))
        .isEqualTo("an agent keeps its kind, which is UNBOUND, and its pages");
    life.command(LifecycleCommand.STOP);
    assertThat(refusal(revise(BlueprintChange.removing("a"))))
        .isEqualTo("the agent is STOPPED for good");
  }
}
