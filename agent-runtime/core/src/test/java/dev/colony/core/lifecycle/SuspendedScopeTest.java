package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An agent whose tenant, colony or tree is suspended as a whole. */
class SuspendedScopeTest {

  private static final Optional<String> WHY = Optional.of("tenant acme is suspended: too dear");

  @Test
  void anAgentTakesNoStepAndGoesOnByItselfAfterwards() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.scope(WHY);
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    assertThat(life.state.suspension().map(Suspension::cause)).contains(SuspensionCause.SCOPE);
    assertThat(life.state.reason()).isEqualTo(WHY);

    life.accept("later");
    life.recover();
    life.pass(Duration.ofDays(1));
    life.live();
    assertThat(life.published).isEmpty();
    assertThat(life.state.outstanding()).isTrue();

    life.scope(Optional.empty());
    life.live();
    assertThat(life.published).containsOnlyKeys(LifeIn.RUN, new RunId("later"));
    assertThat(life.published.values()).allMatch(run -> run.error().isEmpty());
  }

  @Test
  void anAgentThatIsSpawnedLaterTakesItsRunsAndWaits() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.scope(WHY);
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
    assertThat(life.accept("r1")).isInstanceOf(Verdict.Journal.class);
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    assertThat(life.executions).isEmpty();
  }

  @Test
  void anExternalActionThatHasBegunEndsFirst() {
    Life life = LifeIn.phase(Phase.INTENDED);
    life.scope(WHY);
    assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
    life.tell(LifeIn.act(LifeIn.ACTION.actionId()));
    life.live();
    assertThat(life.state.phase()).isEqualTo(Phase.ITERATING);
    assertThat(life.state.active().orElseThrow().history()).hasSize(1);
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
  }

  @Test
  void anExternalActionThatACrashHasCutOffWaits() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.tell(new AgentCommand.IntendAction(LifeIn.ACTION, true, StepDelta.NONE, Life.AT));
    life.scope = WHY;
    life.executions.clear();
    life.recover();
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
    assertThat(life.executions).isEmpty();
    life.scope(Optional.empty());
    life.live();
    assertThat(life.executions).containsValues(1);
    assertThat(life.published).containsKey(LifeIn.RUN);
  }

  @Test
  void noResumeCommandEndsIt() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.scope(WHY);
    life.live();
    assertThat(life.resume(life.word()))
        .isEqualTo(new Verdict.Refused("the agent goes on when that is resumed: " + WHY.get()));
    life.cancel("r1");
    life.accept("next");
    life.live();
    assertThat(life.published).containsOnlyKeys(LifeIn.RUN);
    assertThat(life.state.suspension().map(Suspension::cause)).contains(SuspensionCause.SCOPE);
  }
}
