package dev.colony.node.resumption;

import static dev.colony.agent.ResumptionCondition.all;
import static dev.colony.agent.ResumptionCondition.any;
import static dev.colony.node.resumption.ResumptionFixture.NOW;
import static dev.colony.node.resumption.ResumptionFixture.join;
import static dev.colony.node.resumption.ResumptionFixture.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.agent.ResumptionCondition.Event;
import dev.colony.agent.ResumptionCondition.Immediate;
import dev.colony.agent.ResumptionCondition.PagesAvailable;
import dev.colony.agent.ResumptionCondition.ResourceAvailable;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.node.resumption.Resumptions.Trigger;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How suspensions come into the index and leave it, and what the sweep finds. */
abstract class EntriesContract extends ResumptionsContract {

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
    it.now = it.now.plus(ResumptionFixture.BOUNDS.repeatAfter()).plusSeconds(5);
    it.sweep();
    it.assertWoken(a, 1L, 1L);
  }
}
