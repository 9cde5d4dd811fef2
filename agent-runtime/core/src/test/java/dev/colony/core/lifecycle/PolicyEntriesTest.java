package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The policy's entries of the agent: what one run leaves, later ones find. */
class PolicyEntriesTest {

  private final Life life = LifeIn.phase(Phase.ITERATING);

  private void keep(ObjectNode policy) {
    StepDelta delta =
        new StepDelta(null, List.of(), Map.of(), Optional.empty(), Optional.empty(), policy);
    life.tell(new AgentCommand.CompleteStep(ActionPolicyIterationResult.skipped(), delta, Life.AT));
  }

  private static ObjectNode entry(String name, String text) {
    return JsonNodeFactory.instance.objectNode().put(name, text);
  }

  private JsonNode kept() {
    return life.state.memory().policy();
  }

  @Test
  void theyOutlastTheRunAndChangeOneByOne() {
    keep(entry("plan", "a").put("seen", "b"));
    ObjectNode change = entry("plan", "c");
    change.putNull("seen");
    keep(change);
    life.tell(LifeIn.complete());
    life.tell(LifeIn.publish());
    assertThat(life.state.phase()).isEqualTo(Phase.RESTING);
    assertThat(kept()).isEqualTo(entry("plan", "c"));
    life.accept("r2");
    assertThat(((AgentEffect.Iterate) life.work()).memory().policy()).isEqualTo(entry("plan", "c"));
  }

  @Test
  void theyOutlastSuspensionAndCrash() {
    keep(entry("plan", "a"));
    life.suspend(SuspensionCause.EXPLICIT, Optional.empty());
    life.recover();
    life.resume(1);
    assertThat(((AgentEffect.Iterate) life.work()).memory().policy()).isEqualTo(entry("plan", "a"));
  }

  @Test
  void aForkHasThem() {
    keep(entry("plan", "a"));
    ForkSeed seed = ForkSeed.of(Life.AGENT, life.journal.size(), life.state);
    Life fork = new Life(Script.of());
    fork.tell(
        new AgentCommand.Claim(Optional.of(Life.BLUEPRINT), Optional.of(seed), "node", Life.AT));
    assertThat(fork.state.memory().policy()).isEqualTo(entry("plan", "a"));
  }

  @Test
  void moreThanMayBeKeptEndsTheRunAndTheyStayAsTheyWere() {
    keep(entry("plan", "a".repeat(6_000)));
    keep(entry("more", "b".repeat(6_000)));
    AgentRun run = life.state.active().orElseThrow().ended().orElseThrow();
    assertThat(run.error())
        .contains(
            "the policy's entries of the agent are larger than 10000 bytes, which is"
                + " colony.agent.max-output");
    assertThat(kept()).isEqualTo(entry("plan", "a".repeat(6_000)));
  }
}
