package dev.colony.node.resumption;

import static dev.colony.agent.ResumptionCondition.all;
import static dev.colony.agent.ResumptionCondition.any;
import static dev.colony.node.resumption.ResumptionFixture.NOW;
import static dev.colony.node.resumption.ResumptionFixture.join;
import static dev.colony.node.resumption.ResumptionFixture.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.agent.ResumptionCondition.Immediate;
import dev.colony.agent.ResumptionCondition.PagesAvailable;
import dev.colony.agent.ResumptionCondition.ResourceAvailable;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.vcm.PageId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is looked at as it is: agents that end, pages, room. */
abstract class LevelsContract extends ResumptionsContract {

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
    assertThat(it.happened(new Trigger.CapacityFreed(a))).isEqualTo(1);
    assertThat(it.happened(new Trigger.CapacityFreed(a))).isZero();
    assertThat(it.happened(new Trigger.CapacityFreed(b))).isZero();
    it.assertWoken(a, 1L);
  }

  @Test
  void roomAloneDoesNotSufficeWhereMoreIsWaitedFor() {
    it.enter(a, 1, all(new ResourceAvailable(), new Custom("go")));
    assertThat(it.happened(new Trigger.CapacityFreed(a))).isZero();
    assertThat(it.happened(new Trigger.Signalled(a, "go"))).isZero();
    assertThat(it.happened(new Trigger.CapacityFreed(a))).isEqualTo(1);
    it.assertWoken(a, 1L);
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
    CapacityQueue room = it.resumptions.room();
    assertThat(join(room.tenants(100, Optional.empty()))).containsSubsequence(t1, t2);
    assertThat(join(room.tenants(1, Optional.of(t1)))).containsExactly(t2);
    List<CapacityQueue.Waiting> first = join(room.waiting(t1, 15, Optional.empty()));
    List<CapacityQueue.Waiting> rest = join(room.waiting(t1, 15, Optional.of(first.getLast())));
    assertThat(first)
        .hasSize(15)
        .isSortedAccordingTo(Comparator.comparingLong(CapacityQueue.Waiting::rank));
    assertThat(first.getFirst().agent().name()).isEqualTo("r-29");
    assertThat(rest).hasSize(5);
    assertThat(rest.getFirst().rank()).isGreaterThan(first.getLast().rank());
    it.happened(new Trigger.CapacityFreed(first.getFirst().agent()));
    assertThat(join(room.waiting(t1, 100, Optional.empty())))
        .hasSize(19)
        .doesNotContain(first.getFirst());
    assertThat(join(room.waiting("nobody", 100, Optional.empty()))).isEmpty();
  }
}
