package dev.colony.agent.resumption;

import static dev.colony.agent.resumption.ResumptionFixture.NOW;
import static dev.colony.agent.resumption.ResumptionFixture.join;
import static dev.colony.agent.resumption.ResumptionFixture.page;
import static dev.colony.agent.resumption.ResumptionFixture.suspension;
import static dev.colony.agent.suspension.ResumptionCondition.all;
import static dev.colony.agent.suspension.ResumptionCondition.any;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.ResumptionCondition.Approved;
import dev.colony.agent.suspension.ResumptionCondition.At;
import dev.colony.agent.suspension.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.suspension.ResumptionCondition.Custom;
import dev.colony.agent.suspension.ResumptionCondition.Event;
import dev.colony.agent.suspension.ResumptionCondition.Immediate;
import dev.colony.agent.suspension.ResumptionCondition.PagesAvailable;
import dev.colony.agent.suspension.ResumptionCondition.ResourceAvailable;
import dev.colony.agent.suspension.Suspension;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is promised to suspended agents, over any blackboard. */
abstract class ResumptionsContract {

  private ResumptionFixture it;
  private AgentId a;
  private AgentId b;
  private AgentId c;

  abstract Blackboards blackboards();

  /** At every how many operations somebody dies; odd. */
  abstract int stride();

  @BeforeEach
  void begin() {
    it = new ResumptionFixture(blackboards());
    a = it.agent("a");
    b = it.agent("b");
    c = it.agent("c");
  }

  @Test
  void immediateHoldsAsSoonAsItIsEntered() {
    it.enter(a, 1, new Immediate());
    it.assertWoken(a, 1L);
  }

  @Test
  void agentsThatAreNoChildrenAreWaitedFor() {
    it.isIn(b, AgentState.RUNNING);
    it.isIn(c, AgentState.IDLE);
    it.enter(a, 7, new ChildrenCompleted(List.of(b, c)));
    assertThat(it.ends(c)).isZero();
    it.assertWoken(a);
    assertThat(it.ends(b)).isEqualTo(1);
    it.assertWoken(a, 7L);
  }

  @Test
  void agentsOfOtherColoniesAreWaitedFor() {
    AgentId far = new AgentId("other", it.colony, "far");
    it.isIn(far, AgentState.RUNNING);
    it.enter(a, 1, new ChildrenCompleted(List.of(far)));
    it.assertWoken(a);
    it.ends(far);
    it.assertWoken(a, 1L);
  }

  @Test
  void anAgentThatEndedBeforeTheWaitIsNotWaitedFor() {
    it.isIn(b, AgentState.FAILED);
    it.enter(a, 1, new ChildrenCompleted(List.of(b)));
    it.assertWoken(a, 1L);
  }

  @Test
  void anAgentThatIsUnknownIsNotWaitedFor() {
    it.enter(a, 1, new ChildrenCompleted(List.of(b)));
    it.assertWoken(a, 1L);
  }

  @Test
  void aThousandChildrenAreWaitedFor() {
    List<AgentId> children =
        IntStream.range(0, 1_000).mapToObj(i -> it.agent("child-" + i)).toList();
    it.isIn(children.getFirst(), AgentState.RUNNING);
    it.isIn(children.getLast(), AgentState.RUNNING);
    it.enter(a, 1, new ChildrenCompleted(children));
    it.ends(children.getFirst());
    it.assertWoken(a);
    it.ends(children.getLast());
    it.assertWoken(a, 1L);
    join(it.resumptions.leave(a, 1));
    assertThat(it.left()).isEmpty();
  }

  @Test
  void allWhoWaitForOneAgentAreWoken() {
    it.isIn(b, AgentState.RUNNING);
    List<AgentId> many = IntStream.range(0, 35).mapToObj(i -> it.agent("waiter-" + i)).toList();
    many.forEach(one -> it.enter(one, 1, new ChildrenCompleted(List.of(b))));
    assertThat(it.ends(b)).isEqualTo(35);
    many.forEach(one -> it.assertWoken(one, 1L));
  }

  @Test
  void pagesAreWaitedFor() {
    it.enter(a, 1, new PagesAvailable(List.of(page(1), page(2))));
    it.enter(b, 1, new PagesAvailable(List.of(page(2))));
    assertThat(it.arrives(page(2), page(3))).isEqualTo(1);
    it.assertWoken(a);
    it.assertWoken(b, 1L);
    it.resident.remove(page(2));
    assertThat(it.arrives(page(1))).isZero();
    assertThat(it.arrives(page(2))).isEqualTo(1);
    it.assertWoken(a, 1L);
    it.assertWoken(b, 1L);
  }

  @Test
  void pagesThatAreThereAreNotWaitedFor() {
    it.resident.add(page(1));
    it.enter(a, 1, new PagesAvailable(List.of(page(1))));
    it.assertWoken(a, 1L);
  }

  @Test
  void manyPagesThatArriveTogetherWakeAnAgentOnce() {
    List<PageId> pages = IntStream.range(0, 30).mapToObj(ResumptionFixture::page).toList();
    it.enter(a, 1, new PagesAvailable(pages));
    assertThat(it.arrives(pages.toArray(PageId[]::new))).isEqualTo(1);
    it.assertWoken(a, 1L);
  }

  @Test
  void roomIsGivenByWhomeverItConcerns() {
    it.enter(a, 1, new ResourceAvailable());
    it.sweep();
    it.assertWoken(a);
    assertThat(it.happened(new Trigger.RoomMade(a))).isEqualTo(1);
    assertThat(it.happened(new Trigger.RoomMade(a))).isZero();
    assertThat(it.happened(new Trigger.RoomMade(b))).isZero();
    it.assertWoken(a, 1L);
  }

  @Test
  void roomAloneDoesNotSufficeWhereMoreIsWaitedFor() {
    it.enter(a, 1, all(new ResourceAvailable(), new Custom("go")));
    assertThat(it.happened(new Trigger.RoomMade(a))).isZero();
    assertThat(it.happened(new Trigger.Signalled(a, "go"))).isZero();
    assertThat(it.happened(new Trigger.RoomMade(a))).isEqualTo(1);
    it.assertWoken(a, 1L);
  }

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
            NOW.plus(ResumptionFixture.SETTINGS.earlySignals()).plusSeconds(600));
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

  @Test
  void enteringTwiceIsAsOnce() {
    it.enter(a, 1, new Custom("go"));
    it.happened(new Trigger.Signalled(a, "go"));
    it.enter(a, 1, new Custom("go"));
    it.assertWoken(a, 1L);
  }

  @Test
  void aLaterSuspensionReplacesAnEarlierOneAndNotTheOtherWayRound() {
    it.isIn(b, AgentState.RUNNING);
    it.enter(a, 1, any(new ChildrenCompleted(List.of(b)), new At(NOW.plusSeconds(5))));
    it.enter(a, 2, all(new Custom("go"), new Event(it.scope, new KeyGlob("x"))));
    assertThat(it.left()).noneMatch(key -> key.endsWith("|1"));
    it.enter(a, 1, any(new ChildrenCompleted(List.of(b)), new At(NOW.plusSeconds(5))));
    join(it.resumptions.leave(a, 1));
    it.ends(b);
    it.now = NOW.plusSeconds(10);
    join(it.rounds.due());
    it.assertWoken(a);
    it.happened(new Trigger.Signalled(a, "go"));
    it.write("someone", "x");
    it.deliverWakes();
    it.assertWoken(a, 2L);
    join(it.resumptions.leave(a, 2));
    assertThat(it.left()).isEmpty();
  }

  @Test
  void aSuspensionWithoutAConditionTakesTheEarlierOneAway() {
    it.enter(a, 1, new Custom("go"));
    join(
        it.resumptions.enter(
            a, new Suspension(2, SuspensionCause.EXPLICIT, "", Optional.empty(), NOW)));
    assertThat(it.left()).isEmpty();
  }

  @Test
  void nothingIsLeftOfOneThatHasGoneOn() {
    it.isIn(b, AgentState.RUNNING);
    it.enter(
        a,
        1,
        any(
            new ChildrenCompleted(List.of(b)),
            new PagesAvailable(List.of(page(1), page(2))),
            new ResourceAvailable(),
            new At(NOW.plusSeconds(1)),
            new Custom("go"),
            new Approved("yes"),
            new Event(it.scope, new KeyGlob("x:*"))));
    assertThat(it.left()).isNotEmpty();
    join(it.resumptions.leave(a, 1));
    assertThat(it.left()).isEmpty();
    it.write("someone", "x:1");
    assertThat(it.deliverWakes()).isZero();
    it.ends(b);
    it.assertWoken(a);
  }

  @Test
  void nothingIsLeftOfOneThatHasEnded() {
    it.enter(a, 5, any(new PagesAvailable(List.of(page(1))), new At(NOW.plusSeconds(1))));
    it.ends(a);
    assertThat(it.left()).isEmpty();
  }

  @Test
  void whatNobodyIsToldOfIsFoundByTheSweep() {
    it.isIn(b, AgentState.RUNNING);
    List<AgentId> many = IntStream.range(0, 45).mapToObj(i -> it.agent("waiter-" + i)).toList();
    many.forEach(one -> it.enter(one, 1, new ChildrenCompleted(List.of(b))));
    it.isIn(b, AgentState.STOPPED);
    it.sweep();
    many.forEach(one -> it.assertWoken(one, 1L));
    it.sweep();
    many.forEach(one -> it.assertWoken(one, 1L));
  }

  @Test
  void whoWasWokenAndDoesNotGoOnIsWokenAgainAfterAWhile() {
    it.now = Instant.now();
    it.enter(a, 1, new Immediate());
    it.sweep();
    it.assertWoken(a, 1L);
    it.now = it.now.plus(ResumptionFixture.SETTINGS.repeatAfter()).plusSeconds(5);
    it.sweep();
    it.assertWoken(a, 1L, 1L);
  }

  @Test
  void thoseWhoWaitForRoomStandInTheirOrder() {
    String t1 = "t1-" + it.colony;
    String t2 = "t1-" + it.colony + "~";
    for (int i = 0; i < 30; i++) {
      AgentId one = new AgentId(i % 3 == 0 ? t2 : t1, it.colony, "r-" + i);
      join(
          it.resumptions.enter(
              one,
              new Suspension(
                  1,
                  SuspensionCause.CAPACITY,
                  "",
                  Optional.of(any(new ResourceAvailable(), new At(NOW.plusSeconds(99)))),
                  NOW.plusSeconds(100 - i))));
    }
    RoomQueue room = it.resumptions.room();
    assertThat(join(room.tenants(100, Optional.empty()))).containsSubsequence(t1, t2);
    assertThat(join(room.tenants(1, Optional.of(t1)))).containsExactly(t2);
    List<WaitingForRoom> first = join(room.waiting(t1, 15, Optional.empty()));
    List<WaitingForRoom> rest = join(room.waiting(t1, 15, Optional.of(first.getLast())));
    assertThat(first)
        .hasSize(15)
        .isSortedAccordingTo(Comparator.comparingLong(WaitingForRoom::rank));
    assertThat(first.getFirst().agent().name()).isEqualTo("r-29");
    assertThat(rest).hasSize(5);
    assertThat(rest.getFirst().rank()).isGreaterThan(first.getLast().rank());
    it.happened(new Trigger.RoomMade(first.getFirst().agent()));
    assertThat(join(room.waiting(t1, 100, Optional.empty())))
        .hasSize(19)
        .doesNotContain(first.getFirst());
    assertThat(join(room.waiting("nobody", 100, Optional.empty()))).isEmpty();
  }

  /** Whoever enters dies at each of its operations; the agent has it entered again. */
  @Test
  void anEntryIsFinishedWhoeverDiesInIt() {
    ResumptionCondition until =
        all(
            new ChildrenCompleted(List.of(b)),
            new PagesAvailable(List.of(page(1))),
            new Event(it.scope, new KeyGlob("x:*")),
            new Custom("go"));
    it.isIn(b, AgentState.RUNNING);
    int deaths = 0;
    for (boolean died = true; died; deaths++) {
      AgentId one = it.agent("one-" + deaths);
      it.boards.dieAfter(deaths);
      died = fails(it.resumptions.enter(one, suspension(1, until)));
      it.boards.live();
      it.enter(one, 1, until);
    }
    assertThat(deaths).isGreaterThan(5);
    it.happened(new Trigger.Signalled(a, "go"));
    for (int i = 0; i < deaths; i++) {
      it.happened(new Trigger.Signalled(it.agent("one-" + i), "go"));
    }
    it.write("someone", "x:1");
    it.deliverWakes();
    it.arrives(page(1));
    it.ends(b);
    for (int i = 0; i < deaths; i++) {
      it.assertWoken(it.agent("one-" + i), 1L);
    }
  }

  /** Whoever evaluates dies at each of its operations; another is told, or nobody but the sweep. */
  @Test
  void anAgentIsWokenWhoeverDiesInTheEvaluation() {
    int deaths = 0;
    for (boolean died = true; died; deaths += stride()) {
      AgentId told = it.agent("told-" + deaths);
      AgentId swept = it.agent("swept-" + deaths);
      AgentId ending = it.agent("ending-" + deaths);
      it.isIn(ending, AgentState.RUNNING);
      it.enter(told, 1, new ChildrenCompleted(List.of(ending)));
      it.enter(swept, 1, new ChildrenCompleted(List.of(ending)));
      it.isIn(ending, AgentState.STOPPED);
      it.boards.dieAfter(deaths);
      died = fails(it.resumptions.happened(new Trigger.AgentEnded(ending)));
      it.boards.live();
      if (deaths % 2 == 0) {
        it.sweep();
      } else {
        it.happened(new Trigger.AgentEnded(ending));
      }
      // A second wake-up of the same suspension is refused by its number.
      assertThat(Set.copyOf(it.met(told))).as("died after " + deaths).containsExactly(1L);
      assertThat(Set.copyOf(it.met(swept))).as("died after " + deaths).containsExactly(1L);
      join(it.resumptions.leave(told, 1));
      join(it.resumptions.leave(swept, 1));
    }
    assertThat(deaths).isGreaterThan(5);
    assertThat(it.left()).isEmpty();
  }

  /** Whoever looks at the times dies at each of its operations; the next one looks again. */
  @Test
  void aTimeIsNotMissedWhoeverDiesLookingAtIt() {
    int deaths = 0;
    for (boolean died = true; died; deaths += stride()) {
      AgentId one = it.agent("one-" + deaths);
      AgentId two = it.agent("two-" + deaths);
      it.now = NOW;
      it.enter(one, 1, new At(NOW.plusSeconds(1)));
      it.enter(two, 1, all(new At(NOW.plusSeconds(1)), new Custom("go")));
      it.now = NOW.plusSeconds(2);
      it.boards.dieAfter(deaths);
      died = fails(it.rounds.due());
      it.boards.live();
      assertThat(join(it.rounds.due())).isEmpty();
      it.now = NOW;
      it.happened(new Trigger.Signalled(two, "go"));
      assertThat(Set.copyOf(it.met(one))).as("died after " + deaths).containsExactly(1L);
      assertThat(Set.copyOf(it.met(two))).as("died after " + deaths).containsExactly(1L);
      join(it.resumptions.leave(one, 1));
      join(it.resumptions.leave(two, 1));
    }
    assertThat(deaths).isGreaterThan(IndexKeys.BUCKETS);
    assertThat(it.left()).isEmpty();
  }

  private static boolean fails(CompletionStage<?> stage) {
    return stage.handle((done, failure) -> failure != null).toCompletableFuture().join();
  }
}
