package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.testkit.KillPoint;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The node of an agent's former home dies at each write of a move: a caller that looks for the
 * agent where the directory says finds it, and it does what it was asked for.
 */
class RehomingWalkTest {

  private static final int NEW_HOME = 1;

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverTheFormerHomeDiesTheAgentIsFound(KillPoint.Side side) {
    AtomicBoolean diedBeforeItWasKnown = new AtomicBoolean();
    KillPoint.walk(
        side,
        point -> {
          try (Trial trial = new Trial()) {
            isPutAway(trial);
            moves(trial, point);
            List<String> journaled = trial.store.names();
            String when = point + ", after " + journaled;
            if (journaled.contains("Rehomed") && trial.unit() != NEW_HOME) {
              diedBeforeItWasKnown.set(true);
            }
            goesOn(trial);
            assertThat(trial.unit()).as(when).isEqualTo(NEW_HOME);
            assertThat(trial.store.names())
                .as(when)
                .containsOnlyOnce("Rehomed", "RehomeConfirmed", "RunCompleted", "ResultPublished");
            assertThat(trial.result().error()).as(when).isEmpty();
            assertThat(trial.publications()).as(when).hasSize(1);
            assertThat(trial.outside.offences()).as(when).isEmpty();
          }
        });
    assertThat(diedBeforeItWasKnown.get()).isEqualTo(side == KillPoint.Side.AFTER);
  }

  private static void isPutAway(Trial trial) {
    try (Trial.Process process = trial.new Process(KillPoint.never())) {
      process.accepts();
      Trial.until(trial.store::blocked);
      process.isSuspended(Optional.empty());
      Trial.until(() -> process.alive.passivations() > 0);
    }
  }

  private static boolean moves(Trial trial, KillPoint fault) {
    try (Trial.Process process = trial.new Process(fault)) {
      process.rehomes(NEW_HOME);
      Trial.until(() ->
          process.life.dead() || !trial.store.events(AgentEvent.RehomeConfirmed.class).isEmpty());
      return process.life.dead();
    }
  }

  /** As on nodes that see to the work that the dead have left, and deliver what was sent. */
  private static void goesOn(Trial trial) {
    try (Trial.Process process = trial.new Process(KillPoint.never())) {
      if (trial.store.events(AgentEvent.Rehomed.class).isEmpty()) {
        process.rehomes(NEW_HOME);
      } else {
        process.alive.wake();
      }
      Trial.until(() -> trial.unit() == NEW_HOME);
      process.resumes(OptionalLong.of(1));
      process.hears();
      Trial.until(trial.store::published);
    }
  }
}
