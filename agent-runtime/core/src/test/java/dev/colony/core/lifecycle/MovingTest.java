package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.lifecycle.AgentSnapshot.Home;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An agent moves to another home while it does nothing, and does nothing before it has moved. */
class MovingTest {

  private static final Set<AgentState> STILL =
      EnumSet.of(AgentState.SUSPENDED, AgentState.UNLOADED, AgentState.LOADED, AgentState.IDLE);

  @Test
  void onlyAnAgentThatDoesNothingMoves() {
    for (AgentKind kind : AgentKind.values()) {
      for (AgentState state : AgentState.values()) {
        LifeIn.state(state, kind)
            .ifPresent(life ->
                assertThat(life.rehome(3))
                    .as("%s %s", kind, state)
                    .isInstanceOf(
                        STILL.contains(state) ? Verdict.Journal.class : Verdict.Refused.class));
      }
    }
    Life acting = LifeIn.phase(Phase.INTENDED);
    acting.suspend(SuspensionCause.EXPLICIT, Optional.empty());
    assertThat(acting.rehome(3)).isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void aMoveIsOutstandingUntilTheDirectoryKnows() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.suspend(SuspensionCause.EXPLICIT, Optional.empty());
    life.rehome(3);
    assertThat(life.state.outstanding()).isTrue();
    life.recover();
    assertThat(life.work()).isEqualTo(new AgentEffect.MoveHome(3));
    life.live();
    assertThat(life.journal.getLast()).isEqualTo(new AgentEvent.RehomeConfirmed(3, 0, Life.AT));
    assertThat(life.state.home()).contains(new Home(3, true));
    assertThat(life.state.outstanding()).isFalse();
    assertThat(life.homes).containsExactly(3);
  }

  @Test
  void aRunThatIsAcceptedMeanwhileBeginsBehindTheMove() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.rehome(3);
    life.accept("r1");
    assertThat(life.work()).isEqualTo(new AgentEffect.MoveHome(3));
    life.step();
    assertThat(life.work()).isInstanceOf(AgentEffect.Iterate.class);
  }

  @Test
  void toMoveWhereItLivesIsNoMoveAndOneMoveIsUnderWayAtATime() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.rehome(3);
    assertThat(life.rehome(3)).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.rehome(4)).isEqualTo(new Verdict.Refused("the agent is moving"));
    assertThat(life.tell(new AgentCommand.ConfirmRehomed(4, Life.AT)))
        .isEqualTo(new Verdict.Refused("the agent does not move to unit 4"));
    life.live();
    assertThat(life.rehome(3)).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.rehome(4)).isInstanceOf(Verdict.Journal.class);
  }
}
