package dev.colony.node.resumption;

import static dev.colony.agent.ResumptionCondition.all;
import static dev.colony.agent.ResumptionCondition.any;
import static dev.colony.node.resumption.ResumptionFixture.NOW;
import static dev.colony.node.resumption.ResumptionFixture.join;
import static dev.colony.node.resumption.ResumptionFixture.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.agent.ResumptionCondition.Event;
import dev.colony.agent.ResumptionCondition.PagesAvailable;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.node.resumption.Resumptions.Trigger;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What holds from when it has come once: signals, answers, writes, times. */
abstract class LatchesContract extends ResumptionsContract {

  @Test
  void aSignalIsWaitedFor() {
    it.enter(a, 1, new Custom("go"));
    it.enter(b, 1, new Custom("go"));
    assertThat(it.happened(new Trigger.Signalled(a, "stay"))).isZero();
    it.assertWoken(a);
    assertThat(it.happened(new Trigger.Signalled(a, "go"))).isEqualTo(1);
    assertThat(it.happened(new Trigger.Signalled(a, "go"))).isZero();
    it.assertWoken(a, 1L);
    it.assertWoken(b);
  }

  @Test
  void aSignalSaysWhichSuspensionEndsByItAndWakesNobody() {
    it.enter(a, 4, new Custom("go"));
    assertThat(it.due(new Trigger.Signalled(a, "stay"))).isEmpty();
    assertThat(it.due(new Trigger.Signalled(b, "go"))).isEmpty();
    assertThat(it.due(new Trigger.Signalled(a, "go"))).hasValue(4);
    assertThat(it.due(new Trigger.Signalled(a, "go"))).as("nobody has gone on").hasValue(4);
    it.assertWoken(a);
    join(it.resumptions.leave(a, 4));
    assertThat(it.left()).isEmpty();
    assertThat(it.due(new Trigger.Signalled(a, "go"))).isEmpty();
    it.enter(a, 5, new Custom("go"));
    it.assertWoken(a, 5L);
  }

  @Test
  void whatDoesNotEndASuspensionIsNotedForLater() {
    it.enter(
        a, 1, all(new Custom("go"), new Approved("yes"), new PagesAvailable(List.of(page(1)))));
    assertThat(it.due(new Trigger.Signalled(a, "go"))).isEmpty();
    it.resident.add(page(1));
    assertThat(it.due(new Trigger.Approved(a, "yes", new Position(1, 1)))).hasValue(1);
    it.resident.remove(page(1));
    assertThat(it.due(new Trigger.Approved(a, "yes", new Position(1, 1)))).isEmpty();
    it.arrives(page(1));
    it.assertWoken(a, 1L);
  }

  @Test
  void anApprovalIsWaitedFor() {
    it.enter(a, 3, new Approved("spend"));
    assertThat(it.happened(new Trigger.Approved(a, "other", new Position(1, 1)))).isZero();
    it.assertWoken(a);
    assertThat(it.happened(new Trigger.Approved(a, "spend", new Position(1, 1)))).isEqualTo(1);
    it.assertWoken(a, 3L);
  }

  @Test
  void aSignalThatComesBeforeItIsEnteredCountsForOneSuspension() {
    it.happened(new Trigger.Signalled(a, "go"));
    it.happened(new Trigger.Approved(a, "spend", new Position(1, 1)));
    it.enter(a, 1, all(new Custom("go"), new Approved("spend")));
    it.assertWoken(a, 1L);
    it.enter(a, 2, new Custom("go"));
    it.assertWoken(a, 1L);
  }

  @Test
  void aSignalThatCameLongBeforeDoesNotCount() {
    it.happened(new Trigger.Signalled(a, "go"));
    Suspension later =
        new Suspension(
            1,
            SuspensionCause.EXPLICIT,
            "",
            Optional.of(new Custom("go")),
            NOW.plus(ResumptionFixture.EARLY_SIGNALS).plusSeconds(600));
    join(it.resumptions.enter(a, later));
    it.assertWoken(a);
    it.enter(a, 2, new Custom("go"));
    it.assertWoken(a);
  }

  @Test
  void aWriteIsWaitedFor() {
    it.write("someone", "answer:early");
    it.enter(a, 1, new Event(it.scope, new KeyGlob("answer:*")));
    it.write("someone", "question:1");
    it.write(a.persistenceId(), "answer:own");
    assertThat(it.deliverWakes()).isZero();
    it.assertWoken(a);
    it.write("someone", "answer:1");
    it.write("someone", "answer:2");
    assertThat(it.deliverWakes()).isEqualTo(1);
    it.assertWoken(a, 1L);
  }

  @Test
  void aWriteBehindAPositionCountsEvenIfItIsOlderThanTheSuspension() {
    Position asked = it.write(a.persistenceId(), "question:1");
    it.write("someone", "answer:1");
    it.enter(a, 1, new Event(it.scope, new KeyGlob("answer:*"), Optional.of(asked)));
    it.assertWoken(a, 1L);
  }

  @Test
  void aConditionIsAnchoredAtTheEndOfItsScopes() {
    it.write("someone", "answer:0");
    ResumptionCondition condition =
        any(new Custom("go"), new Event(it.scope, new KeyGlob("answer:*")));
    ResumptionCondition anchored = join(it.resumptions.anchored(a, condition));
    it.enter(a, 1, anchored);
    it.assertWoken(a);
    it.enter(b, 1, join(it.resumptions.anchored(b, condition)));
    it.write("someone", "answer:1");
    it.enter(c, 1, anchored);
    it.assertWoken(c, 1L);
    assertThat(join(it.resumptions.anchored(a, anchored))).isSameAs(anchored);
  }

  @Test
  void anApprovalIsAnchoredInTheScopeOfTheAgent() {
    Position before = it.write(a.scope(), "someone", "said:1");
    ResumptionCondition asked = any(new Custom("go"), new Approved("spend"));
    ResumptionCondition anchored = join(it.resumptions.anchored(a, asked));
    assertThat(anchored)
        .isEqualTo(any(new Custom("go"), new Approved("spend", Optional.of(before))));
    it.enter(a, 1, anchored);
    it.happened(new Trigger.Approved(a, "spend", before));
    it.assertWoken(a);
    Position after = it.write(a.scope(), "someone", "said:2");
    it.happened(new Trigger.Approved(a, "spent", after));
    it.assertWoken(a);
    it.happened(new Trigger.Approved(a, "spend", after));
    it.assertWoken(a, 1L);
  }

  /** What ended one suspension may become known here when the next is about to be entered. */
  @Test
  void anApprovalThatCameBeforeItWasAskedForDoesNotCountThoughItCameEarly() {
    Position said = it.write(a.scope(), "someone", "said:1");
    it.happened(new Trigger.Approved(a, "spend", said));
    it.enter(a, 2, new Approved("spend", Optional.of(said)));
    it.assertWoken(a);
    it.happened(new Trigger.Approved(b, "spend", said));
    it.enter(b, 2, new Approved("spend", Optional.of(Position.BEGINNING)));
    it.assertWoken(b, 2L);
  }

  @Test
  void morePatternsThanOneRecipientMayHaveAreWaitedFor() {
    List<ResumptionCondition> events =
        IntStream.range(0, 40)
            .<ResumptionCondition>mapToObj(i -> new Event(it.scope, new KeyGlob("k" + i + ":*")))
            .toList();
    it.enter(a, 1, new ResumptionCondition.All(events));
    it.enter(b, 1, new ResumptionCondition.AnyOf(events));
    for (int i = 0; i < 40; i++) {
      it.assertWoken(a);
      it.write("someone", "k" + i + ":x");
      it.deliverWakes();
      it.assertWoken(b, 1L);
    }
    it.assertWoken(a, 1L);
    join(it.resumptions.leave(a, 1));
    it.write("someone", "k39:y");
    assertThat(it.deliverWakes()).isZero();
    it.assertWoken(a, 1L);
  }

  @Test
  void aTimeIsWaitedFor() {
    it.enter(a, 1, new At(NOW.plusSeconds(10)));
    it.enter(b, 1, new At(NOW.plusSeconds(5)));
    assertThat(it.timed).containsExactly(NOW.plusSeconds(10), NOW.plusSeconds(5));
    assertThat(join(it.rounds.due())).contains(NOW.plusSeconds(5));
    it.now = NOW.plusSeconds(5);
    assertThat(join(it.rounds.due())).contains(NOW.plusSeconds(10));
    it.assertWoken(a);
    it.assertWoken(b, 1L);
    it.now = NOW.plusSeconds(3_600);
    assertThat(join(it.rounds.due())).isEmpty();
    assertThat(join(it.rounds.due())).isEmpty();
    it.assertWoken(a, 1L);
    it.assertWoken(b, 1L);
  }

  @Test
  void aTimeThatHasPassedIsNotWaitedFor() {
    it.enter(a, 1, new At(NOW));
    it.assertWoken(a, 1L);
  }

  @Test
  void aTimeThatHasComeStaysThoughTheClockIsSetBack() {
    it.enter(a, 1, all(new At(NOW.plusSeconds(10)), new Custom("go")));
    it.now = NOW.plusSeconds(10);
    join(it.rounds.due());
    it.assertWoken(a);
    it.now = NOW.minusSeconds(3_600);
    assertThat(it.happened(new Trigger.Signalled(a, "go"))).isEqualTo(1);
    it.assertWoken(a, 1L);
  }

  @Test
  void aTimeIsNotMissedThoughTheClockJumpsOverManyOfThem() {
    List<AgentId> many = IntStream.range(0, 100).mapToObj(i -> it.agent("at-" + i)).toList();
    for (int i = 0; i < many.size(); i++) {
      it.enter(many.get(i), 1, new At(NOW.plusSeconds(1 + i)));
    }
    it.now = NOW.plusSeconds(80);
    assertThat(join(it.rounds.due())).contains(NOW.plusSeconds(81));
    for (int i = 0; i < many.size(); i++) {
      assertThat(it.met(many.get(i))).as("agent " + i).hasSize(i < 80 ? 1 : 0);
    }
  }

  @Test
  void farTimesDoNotOverflow() {
    it.enter(a, 1, new At(Instant.MAX));
    it.enter(b, 1, new At(Instant.MIN));
    it.assertWoken(a);
    it.assertWoken(b, 1L);
    join(it.rounds.due());
    it.assertWoken(a);
  }

  @Test
  void severalAreCombined() {
    it.isIn(b, AgentState.RUNNING);
    it.enter(
        a,
        1,
        all(
            new ChildrenCompleted(List.of(b)),
            any(new Approved("yes"), new PagesAvailable(List.of(page(1)))),
            any(new At(NOW.plusSeconds(60)), new Event(it.scope, new KeyGlob("go")))));
    it.happened(new Trigger.Approved(a, "yes", new Position(1, 1)));
    it.write("someone", "go");
    it.deliverWakes();
    it.assertWoken(a);
    it.ends(b);
    it.assertWoken(a, 1L);
    join(it.resumptions.leave(a, 1));
    assertThat(it.left()).isEmpty();
  }
}
