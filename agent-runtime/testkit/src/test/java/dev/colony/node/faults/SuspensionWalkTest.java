package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.node.faults.Outside.Hold;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.testkit.KillPoint;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The agent is suspended in the middle of whatever it does, and goes on in another process that has
 * never held it: as if nothing had been.
 */
class SuspensionWalkTest {

  private static final ResumptionCondition GO = new ResumptionCondition.Custom("go");

  @ParameterizedTest
  @ValueSource(strings = {"0/plan", "0/check", "1/plan", "2/plan"})
  void inTheMiddleOfAModelCall(String call) {
    try (Trial trial = new Trial()) {
      suspendedWithin(trial, call);
      elsewhere(trial);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "last"})
  void inTheMiddleOfAnInternalAction(String action) {
    try (Trial trial = new Trial()) {
      suspendedWithin(trial, action);
      elsewhere(trial);
      assertThat(trial.outside.deeds(action)).as("executed again").hasSize(2);
    }
  }

  /** What it does to the world cannot be taken back, so it ends first. */
  @ParameterizedTest
  @ValueSource(strings = {"send", "pay"})
  void inTheMiddleOfAnExternalAction(String action) {
    try (Trial trial = new Trial()) {
      Hold hold = trial.outside.hold(action);
      try (Trial.Process process = trial.new Process(KillPoint.never())) {
        process.accepts();
        Trial.until(hold::reached);
        process.isSuspended(Optional.of(GO));
        assertThat(trial.store.events(AgentEvent.SuspensionEntered.class)).isEmpty();
        hold.release();
        Trial.until(() -> process.alive.passivations() > 0);
      }
      assertThat(trial.store.completed(action)).isTrue();
      elsewhere(trial);
      assertThat(trial.outside.deeds(action)).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whileTheRunIsBlocked(boolean heardMeanwhile) {
    try (Trial trial = new Trial()) {
      try (Trial.Process process = trial.new Process(KillPoint.never())) {
        process.accepts();
        Trial.until(trial.store::blocked);
        process.isSuspended(Optional.of(GO));
        Trial.until(() -> process.alive.passivations() > 0);
        if (heardMeanwhile) {
          process.hears();
        }
      }
      elsewhere(trial);
    }
  }

  /** There is no claim alone: one append, and one wait for the disk. */
  @Test
  void whatAnAgentIsStartedForIsJournaledWithItsClaim() {
    try (Trial trial = new Trial()) {
      suspendedWithin(trial, "0/plan");
      try (Trial.Process process =
          trial.new Process(KillPoint.at(1, KillPoint.Side.AFTER), life -> {})) {
        process.alive.resume(OptionalLong.of(1));
        process.recovers();
        Trial.until(process.life::dead);
      }
      assertThat(trial.store.names()).endsWith("Claimed", "Transitioned");
      try (Trial.Process process = trial.new Process(KillPoint.never())) {
        finishes(trial, process);
      }
    }
  }

  @Test
  void whatAnAgentIsStartedForIsNotLostWithAnAppendThatFails() {
    try (Trial trial = new Trial()) {
      suspendedWithin(trial, "0/plan");
      try (Trial.Process process = trial.new Process(KillPoint.never(), Life::failsOnce)) {
        CompletionStage<String> reply = process.alive.resume(OptionalLong.of(1));
        process.recovers();
        assertThat(Trial.got(reply)).startsWith("Accepted");
        finishes(trial, process);
      }
    }
  }

  /** No signal comes before another: the second of two holds. */
  @Test
  void whatIsAskedFirstIsDecidedFirst() {
    try (Trial trial = new Trial()) {
      try (Trial.Process process = trial.new Process(KillPoint.never())) {
        process.accepts();
        Trial.until(trial.store::blocked);
      }
      try (Trial.Process process = trial.new Process(KillPoint.never(), life -> {})) {
        CompletionStage<String> resumed = process.alive.resume(OptionalLong.empty());
        CompletionStage<String> suspended = process.alive.suspend(Optional.of(GO));
        process.recovers();
        assertThat(Trial.got(resumed)).startsWith("Rejected");
        assertThat(Trial.got(suspended)).startsWith("Accepted");
        Trial.until(() -> process.alive.passivations() > 0);
      }
      elsewhere(trial);
    }
  }

  /** Whichever node dies when: the suspension is entered, ends once, and the run goes on. */
  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverAProcessDiesOnTheWay(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (Trial trial = new Trial()) {
                AtomicInteger wakes = new AtomicInteger();
                away(trial, point, wakes);
                String when = point + ", after " + trial.store.names();
                away(trial, KillPoint.never(), wakes);
                assertThat(wakes).as(when).hasValue(1);
                check(trial, when);
              }
            });
    assertThat(writes).as("writes of the run").isGreaterThanOrEqualTo(19);
  }

  /** Suspended and resumed when the run is blocked; what was done in an earlier life stays done. */
  private static void away(Trial trial, KillPoint fault, AtomicInteger wakes) {
    JournalStore store = trial.store;
    try (Trial.Process process = trial.new Process(fault)) {
      Life life = process.life;
      process.accepts();
      Trial.until(() -> life.dead() || store.blocked());
      if (store.suspensions() == 0) {
        process.isSuspended(Optional.of(GO));
      }
      Trial.until(() -> life.dead() || entered(store));
      if (!life.dead() && store.moves(AgentState.RUNNING) == 0) {
        wakes.addAndGet(woken(trial));
        process.resumes(OptionalLong.of(1));
      }
      process.hears();
      Trial.until(() -> life.dead() || store.published());
    }
  }

  private static boolean entered(JournalStore store) {
    return !store.events(AgentEvent.SuspensionEntered.class).isEmpty();
  }

  private static void suspendedWithin(Trial trial, String what) {
    Hold hold = trial.outside.hold(what);
    try (Trial.Process process = trial.new Process(KillPoint.never())) {
      process.accepts();
      Trial.until(() -> hold.reached() || trial.store.blocked());
      if (!hold.reached()) {
        process.hears();
        Trial.until(hold::reached);
      }
      process.isSuspended(Optional.of(GO));
      Trial.until(() -> process.alive.passivations() > 0);
      hold.release();
    }
    assertThat(trial.store.published()).isFalse();
  }

  private static void elsewhere(Trial trial) {
    assertThat(entered(trial.store)).isTrue();
    assertThat(woken(trial)).isOne();
    try (Trial.Process process = trial.new Process(KillPoint.never())) {
      process.resumes(OptionalLong.of(1));
      finishes(trial, process);
    }
  }

  /** The wake-up comes twice, as it may. */
  private static void finishes(Trial trial, Trial.Process process) {
    assertThat(Trial.got(process.alive.resume(OptionalLong.of(1)))).startsWith("Rejected");
    Trial.until(() -> trial.store.blocked() || trial.store.published());
    process.hears();
    Trial.until(trial.store::published);
    check(trial, "resumed");
  }

  private static int woken(Trial trial) {
    return Trial.got(trial.resumptions().happened(new Trigger.Signalled(trial.agent, "go")));
  }

  private static void check(Trial trial, String when) {
    AgentRun run = trial.result();
    JournalStore store = trial.store;
    assertThat(run.error()).as(when).isEmpty();
    assertThat(trial.publications()).as(when).hasSize(1);
    assertThat(trial.notices())
        .as(when)
        .doesNotHaveDuplicates()
        .satisfiesOnlyOnce(one -> assertThat(one).startsWith("waiting EXPLICIT since"));
    assertThat(trial.outside.offences()).as(when).isEmpty();
    assertThat(store.names())
        .as(when)
        .containsOnlyOnce("RunAccepted", "SuspensionEntered", "RunCompleted", "ResultPublished");
    assertThat(store.suspensions()).as(when).isOne();
    assertThat(store.moves(AgentState.RUNNING)).as(when).isOne();
    assertThat(trial.outside.deeds("pay")).as(when).hasSizeLessThanOrEqualTo(1);
    assertThat(run.output().path("heard").toString()).as(when).isEqualTo("[\"go\"]");
  }
}
