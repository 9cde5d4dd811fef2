package dev.colony.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentState;
import dev.colony.agent.faults.Life.Fault;
import dev.colony.agent.faults.Life.Side;
import dev.colony.agent.lifecycle.AgentEvent;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The node of an agent's former home dies at each write of a move and of what comes after it:
 * whoever looks for the agent where the directory says finds it, and it does what it was asked for.
 */
class RehomingWalkTest {

  private static final int NEW_HOME = 1;

  @ParameterizedTest
  @EnumSource(Side.class)
  void whereverTheFormerHomeDiesTheAgentIsFound(Side side) {
    int write = 0;
    boolean diedBeforeItWasKnown = false;
    boolean died;
    do {
      write++;
      try (Trial trial = new Trial()) {
        died = moves(trial, new Fault(write, side));
        List<String> journaled = trial.store.names();
        String when = side + " write " + write + ", after " + journaled;
        diedBeforeItWasKnown |= journaled.contains("Rehomed") && trial.unit() != NEW_HOME;
        moves(trial, Fault.NEVER);
        assertThat(trial.unit()).as(when).isEqualTo(NEW_HOME);
        assertThat(trial.store.names())
            .as(when)
            .containsOnlyOnce("Rehomed", "RehomeConfirmed", "RunCompleted", "ResultPublished");
        assertThat(trial.result().error()).as(when).isEmpty();
        assertThat(trial.publications()).as(when).hasSize(1);
        assertThat(trial.outside.offences()).as(when).isEmpty();
      }
    } while (died);
    assertThat(diedBeforeItWasKnown).isEqualTo(side == Side.AFTER);
  }

  /**
   * Suspended when its run is parked, moved, and resumed; what was done in an earlier life stays
   * done.
   */
  private static boolean moves(Trial trial, Fault fault) {
    JournalStore store = trial.store;
    try (Trial.Process process = trial.new Process(fault)) {
      Life life = process.life;
      if (store.names().contains("Rehomed") && trial.unit() != NEW_HOME) {
        // As whoever sees to the work that the dead have left.
        process.alive.wake();
        Trial.until(() -> trial.unit() == NEW_HOME);
      }
      process.accepts();
      Trial.until(() -> life.dead() || store.parked());
      if (store.suspensions() == 0) {
        process.isSuspended(Optional.empty());
      }
      if (!life.dead() && store.events(AgentEvent.Rehomed.class).isEmpty()) {
        process.rehomes(NEW_HOME);
      }
      Trial.until(() -> life.dead() || trial.unit() == NEW_HOME);
      if (store.moves(AgentState.RUNNING) == 0) {
        process.resumes(OptionalLong.of(1));
      }
      process.hears();
      Trial.until(() -> life.dead() || store.published());
      return life.dead();
    }
  }
}
