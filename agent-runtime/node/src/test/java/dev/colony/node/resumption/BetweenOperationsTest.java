package dev.colony.node.resumption;

import static dev.colony.agent.ResumptionCondition.all;
import static dev.colony.node.resumption.ResumptionFixture.NOW;
import static dev.colony.node.resumption.ResumptionFixture.join;
import static dev.colony.node.resumption.ResumptionFixture.page;
import static dev.colony.node.resumption.ResumptionFixture.suspension;
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
import dev.colony.agent.fixture.BetweenCalls;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * While a node deals with one thing, another deals with something else from beginning to end:
 * between any two operations of the first. Whichever they are, the agent is woken, and without the
 * sweep.
 */
class BetweenOperationsTest {

  private static final int KEPT = 6;
  private static final Instant TIME = NOW.plusSeconds(5);
  private static final Instant LATER = NOW.plusSeconds(10);

  private final InMemoryBlackboards memory =
      new InMemoryBlackboards(
          BlackboardSettings.DEFAULTS.withEvents(
              new BlackboardSettings.Events(KEPT, KEPT, 1 << 20)),
          Clock.systemUTC());

  private final ResumptionFixture it = new ResumptionFixture(memory);
  private int agents;

  @AfterEach
  void close() {
    memory.close();
  }

  /** What a condition may wait for, and what a node does when it comes. */
  private enum Thing {
    SIGNAL {
      @Override
      ResumptionCondition awaited(ResumptionFixture it, AgentId agent) {
        return new Custom("go");
      }

      @Override
      void comes(ResumptionFixture it, BlackboardResumptions node, AgentId agent) {
        join(node.happened(new Trigger.Signalled(agent, "go")));
      }
    },
    APPROVAL {
      @Override
      ResumptionCondition awaited(ResumptionFixture it, AgentId agent) {
        return new Approved("spend");
      }

      @Override
      void comes(ResumptionFixture it, BlackboardResumptions node, AgentId agent) {
        join(node.happened(new Trigger.Approved(agent, "spend", new Position(1, 1))));
      }
    },
    WRITE {
      @Override
      ResumptionCondition awaited(ResumptionFixture it, AgentId agent) {
        return new Event(
            it.scope, new KeyGlob(agent.name() + ":*"), Optional.of(Position.BEGINNING));
      }

      @Override
      void comes(ResumptionFixture it, BlackboardResumptions node, AgentId agent) {
        it.write("someone", agent.name() + ":1");
        it.deliverWakes(node);
      }
    },
    END {
      @Override
      ResumptionCondition awaited(ResumptionFixture it, AgentId agent) {
        it.isIn(child(it, agent), AgentState.RUNNING);
        return new ChildrenCompleted(List.of(child(it, agent)));
      }

      @Override
      void comes(ResumptionFixture it, BlackboardResumptions node, AgentId agent) {
        it.isIn(child(it, agent), AgentState.STOPPED);
        join(node.happened(new Trigger.AgentEnded(child(it, agent))));
      }

      private AgentId child(ResumptionFixture it, AgentId agent) {
        return it.agent("child-of-" + agent.name());
      }
    },
    PAGE {
      @Override
      ResumptionCondition awaited(ResumptionFixture it, AgentId agent) {
        it.resident.clear();
        return new PagesAvailable(List.of(PAGE_OF_ALL));
      }

      @Override
      void comes(ResumptionFixture it, BlackboardResumptions node, AgentId agent) {
        it.resident.add(PAGE_OF_ALL);
        join(node.happened(new Trigger.PagesArrived(Set.of(PAGE_OF_ALL))));
      }
    },
    TIME_OF_DAY {
      @Override
      ResumptionCondition awaited(ResumptionFixture it, AgentId agent) {
        return new At(TIME);
      }

      @Override
      void comes(ResumptionFixture it, BlackboardResumptions node, AgentId agent) {
        it.now = LATER;
        join(node.rounds().due());
      }
    };

    static final PageId PAGE_OF_ALL = page(1);

    abstract ResumptionCondition awaited(ResumptionFixture it, AgentId agent);

    abstract void comes(ResumptionFixture it, BlackboardResumptions node, AgentId agent);
  }

  @ParameterizedTest
  @EnumSource
  void whatComesWhileAnAgentIsEnteredIsNotMissed(Thing thing) {
    boolean over = false;
    for (int moment = 0; !over; moment++) {
      AgentId agent = fresh();
      ResumptionCondition until = thing.awaited(it, agent);
      BetweenCalls between =
          new BetweenCalls().before(moment, () -> thing.comes(it, it.resumptions, agent));
      join(it.node(between.over(memory), () -> it.now).enter(agent, suspension(1, until)));
      over = !between.finish();
      assertWoken(agent, thing + " before operation " + moment + " of the entering");
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoThingsThatComeAtOnceAreBothSeen(Thing thing) {
    for (Thing other : Thing.values()) {
      boolean over = other == thing;
      for (int moment = 0; !over; moment++) {
        AgentId agent = fresh();
        it.enter(agent, 1, all(thing.awaited(it, agent), other.awaited(it, agent)));
        BetweenCalls between =
            new BetweenCalls().before(moment, () -> other.comes(it, it.resumptions, agent));
        thing.comes(it, it.node(between.over(memory), () -> it.now), agent);
        over = !between.finish();
        assertWoken(agent, other + " before operation " + moment + " over " + thing);
      }
    }
  }

  /**
   * The clock of the node that is told of a signal is behind, so that the time is still to come
   * there.
   */
  @Test
  void aTimeAndASignalAreBothSeenThoughClocksDiffer() {
    boolean over = false;
    for (int moment = 0; !over; moment++) {
      AgentId agent = fresh();
      it.enter(agent, 1, all(new At(TIME), new Custom("go")));
      BlackboardResumptions behind = it.node(memory, () -> NOW);
      BetweenCalls between =
          new BetweenCalls().before(moment, () -> Thing.SIGNAL.comes(it, behind, agent));
      Thing.TIME_OF_DAY.comes(it, it.node(between.over(memory), () -> it.now), agent);
      over = !between.finish();
      assertWoken(agent, "a signal before operation " + moment + " over the time");
    }
  }

  /** So much is written behind it that it is no longer stored. */
  @Test
  void aWriteThatIsGoneWhileItIsLookedForIsNotMissed() {
    boolean over = false;
    for (int moment = 0; !over; moment++) {
      AgentId agent = fresh();
      it.enter(agent, 1, Thing.WRITE.awaited(it, agent));
      BetweenCalls between = new BetweenCalls().before(moment, this::crowd);
      Thing.WRITE.comes(it, it.node(between.over(memory), () -> it.now), agent);
      over = !between.finish();
      assertWoken(agent, "gone before operation " + moment);
    }
  }

  private void crowd() {
    for (int i = 0; i < KEPT; i++) {
      it.write("someone", "other");
    }
  }

  private AgentId fresh() {
    it.now = NOW;
    return it.agent("waiter-" + agents++);
  }

  private void assertWoken(AgentId agent, String when) {
    assertThat(Set.copyOf(it.met(agent))).as(when).containsExactly(1L);
    join(it.resumptions.leave(agent, 1));
  }
}
