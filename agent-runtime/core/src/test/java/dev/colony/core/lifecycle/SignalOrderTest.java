package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A signal is carried out once, however often and in whatever order it is delivered. */
class SignalOrderTest {

  private static final Optional<ResumptionCondition> LEAD =
      Optional.of(new ResumptionCondition.Approved("lead"));

  /**
   * Something is told.
   *
   * @param word which of those that are said, in the order in which they are
   */
  private record Deed(Kind kind, int word) {}

  private enum Kind {
    /** A word is delivered: an even one suspends, an odd one resumes. */
    DELIVERY,
    /** The suspension that lasts ends by its condition. */
    CONDITION,
    CRASH
  }

  @Example
  void aSuspensionThatIsOverIsNotBegunAgainByTheSameWord() {
    for (boolean byCondition : new boolean[] {true, false}) {
      Life life = LifeIn.phase(Phase.ITERATING);
      Position word = life.word();
      assertThat(life.suspend(word, LEAD)).isInstanceOf(Verdict.Journal.class);
      life.live();
      if (byCondition) {
        life.answer("lead", true);
      } else {
        life.resume(life.word());
      }
      assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
      life.recover();
      assertThat(life.suspend(word, LEAD)).isInstanceOf(Verdict.Repeated.class);
      assertThat(life.state.state()).isEqualTo(AgentState.RUNNING);
      assertThat(life.suspend(life.word(), LEAD)).isInstanceOf(Verdict.Journal.class);
      assertThat(life.state.suspension()).map(Suspension::number).contains(2L);
    }
  }

  @Example
  void aWordThatEndedOneSuspensionEndsNoOther() {
    Life life = LifeIn.phase(Phase.ITERATING);
    life.suspend(life.word(), Optional.empty());
    Position resumed = life.word();
    life.resume(resumed);
    life.suspend(life.word(), Optional.empty());
    assertThat(life.resume(resumed)).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.state.state()).isEqualTo(AgentState.SUSPENDED);
  }

  @Example
  void whatWasSaidLaterHoldsInWhateverOrderItComes() {
    Life life = LifeIn.phase(Phase.RESTING);
    Position first = life.word();
    Position second = life.word();
    life.suspend(second, LEAD);
    assertThat(life.suspend(first, Optional.empty())).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.state.suspension().orElseThrow().until()).isEqualTo(LEAD);
  }

  /** Otherwise it would be carried out when that is over. */
  @Example
  void whatIsSoAlreadyIsAppliedToo() {
    Life life = LifeIn.phase(Phase.RESTING);
    life.suspend(life.word(), Optional.empty());
    Position again = life.word();
    assertThat(life.suspend(again, Optional.empty()))
        .isEqualTo(Verdict.journal(new AgentEvent.SignalApplied(again, Life.AT)));
    life.resume(1);
    assertThat(life.suspend(again, Optional.empty())).isInstanceOf(Verdict.Repeated.class);
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
  }

  @Example
  void aRefusalChangesNothing() {
    Life life = LifeIn.phase(Phase.RESTING);
    AgentSnapshot before = life.state;
    assertThat(life.resume(life.word())).isInstanceOf(Verdict.Refused.class);
    assertThat(life.state).isEqualTo(before);
  }

  @Example
  void whatTheRuntimeItselfDoesIsNobodysWord() {
    Life life = LifeIn.phase(Phase.ITERATING);
    Position said = life.word();
    life.suspend(said, LEAD);
    life.resume(1);
    assertThat(life.suspend(SuspensionCause.CAPACITY, LEAD)).isInstanceOf(Verdict.Journal.class);
    assertThat(life.state.status().lastSignal()).contains(said);
  }

  @Property(tries = 1_000)
  void noWordIsCarriedOutTwice(@ForAll("deeds") List<Deed> deeds) {
    Life life = LifeIn.phase(Phase.ITERATING);
    Map<Integer, Integer> carriedOut = new HashMap<>();
    List<Integer> order = new ArrayList<>();
    for (Deed deed : deeds) {
      switch (deed.kind()) {
        case DELIVERY -> {
          if (said(life, deed.word()) instanceof Verdict.Journal) {
            carriedOut.merge(deed.word(), 1, Integer::sum);
            order.add(deed.word());
          }
        }
        case CONDITION -> life.resume(life.state.status().suspensions());
        case CRASH -> life.recover();
      }
      assertThat(Life.replay(life.journal)).isEqualTo(life.state);
    }
    assertThat(carriedOut.values()).allMatch(times -> times == 1);
    assertThat(order).isSorted();
  }

  @Provide
  Arbitrary<List<Deed>> deeds() {
    return Combinators.combine(
            Arbitraries.of(Kind.DELIVERY, Kind.DELIVERY, Kind.CONDITION, Kind.CRASH),
            Arbitraries.integers().between(1, 6))
        .as(Deed::new)
        .list()
        .ofMaxSize(20);
  }

  private static Verdict said(Life life, int word) {
    Position at = new Position(1, word);
    return word % 2 == 0 ? life.suspend(at, LEAD) : life.resume(at);
  }
}
