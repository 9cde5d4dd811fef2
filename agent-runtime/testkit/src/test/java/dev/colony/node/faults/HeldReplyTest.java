package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.node.faults.Outside.Deed;
import dev.colony.node.faults.Outside.Hold;
import dev.colony.node.faults.WalkTypes.Way;
import dev.colony.testkit.KillPoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When a model's reply is journaled that an iteration goes on with at once. */
class HeldReplyTest {

  @Test
  void aReplyIsJournaledInOneAppendWithTheOutcomeOfItsAction() {
    try (Trial trial = new Trial()) {
      assertThat(trial.live(KillPoint.never())).isFalse();
      assertThat(trial.store.appends())
          .as("the second reply of the first step, that of the last, and those of external actions")
          .containsSubsequence(
              List.of("ModelAnswered"),
              List.of("ModelAnswered", "StepCompleted"),
              List.of("ModelAnswered", "ActionIntended"),
              List.of("StepCompleted"),
              List.of("ModelAnswered", "ActionIntended"),
              List.of("StepCompleted"),
              List.of("ModelAnswered", "StepCompleted"));
    }
  }

  @Test
  void aReplyIsJournaledByItselfWhereItsActionTakesLong() {
    try (Trial trial = new Trial();
        Trial.Process process = trial.new Process(KillPoint.never())) {
      Hold first = trial.outside.hold("first");
      process.accepts();
      Trial.until(first::reached);
      Trial.until(() -> trial.store.answered("0/check"));
      assertThat(trial.store.completed("first")).isFalse();
      first.release();
      Trial.until(() -> trial.store.completed("first"));
    }
  }

  @Test
  void aCrashBetweenAReplyAndItsOutcomeHasTheModelAskedAgainUnderTheSameKey() {
    try (Trial trial = diedWithAReply()) {
      assertThat(trial.outside.deeds("first")).hasSize(1);
      assertThat(trial.live(KillPoint.never())).isFalse();
      assertThat(trial.outside.offences()).isEmpty();
      assertThat(trial.outside.keys("0/check"))
          .as("the keys of the calls")
          .hasSize(2)
          .containsOnly(trial.agent.persistenceId() + "/r1/0/check");
      assertThat(trial.outside.keys("0/plan")).hasSize(1);
      assertThat(trial.outside.repeatedCalls()).isOne();
      assertThat(trial.askedAgain()).isOne();
      assertThat(trial.outside.deeds("first"))
          .hasSize(2)
          .extracting(Deed::key)
          .containsOnly(trial.agent.persistenceId() + "/r1/0/first");
      assertThat(trial.store.events(AgentEvent.ModelAnswered.class))
          .extracting(answered -> answered.reply().text())
          .startsWith("0/plan reply 1", "0/check reply 2");
    }
  }

  /**
   * One whose process has died before the first step's outcome was journaled, and the reply with
   * it. On a busy machine the reply may have gone alone before that: then it is tried again.
   */
  private static Trial diedWithAReply() {
    for (int tries = 0; tries < 100; tries++) {
      Trial trial = new Trial();
      // Behind the claim, the watch, the request and the first reply: the first step's outcome.
      int outcome = 1 + appendsBefore("StepCompleted");
      assertThat(trial.live(KillPoint.at(outcome, KillPoint.Side.BEFORE))).isTrue();
      if (!trial.store.answered("0/check") && !trial.outside.deeds("first").isEmpty()) {
        return trial;
      }
      trial.close();
    }
    throw new AssertionError("each reply went alone");
  }

  /** What others see, or what takes long, must not follow from a reply that may be lost. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void aCrashBehindWhatOthersSeeDoesNotHaveTheModelAskedAgain(Way way) {
    int outcome = 1 + appendsBefore("StepCompleted", WalkTypes.teller(way));
    try (Trial trial = new Trial(WalkTypes.teller(way))) {
      assertThat(trial.live(KillPoint.at(outcome, KillPoint.Side.BEFORE))).isTrue();
      assertThat(trial.store.events(AgentEvent.StepCompleted.class)).isEmpty();
      assertThat(trial.store.answered("0/plan")).isTrue();
      assertThat(trial.live(KillPoint.never())).isFalse();
      assertThat(trial.result().output().asText()).isEqualTo("0/plan reply 1");
      assertThat(trial.outside.keys("0/plan")).hasSize(1);
      assertThat(trial.askedAgain()).isZero();
      assertThat(trial.outside.offences()).isEmpty();
    }
  }

  private static int appendsBefore(String event) {
    return appendsBefore(event, WalkTypes.BLUEPRINT);
  }

  private static int appendsBefore(String event, AgentBlueprint blueprint) {
    try (Trial trial = new Trial(blueprint)) {
      trial.live(KillPoint.never());
      List<List<String>> appends = trial.store.appends();
      return (int) appends.stream().takeWhile(batch -> !batch.contains(event)).count();
    }
  }
}
