package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What holds for every plan, whatever its planner and the world do; see {@link PlanLife}. */
class PlanLifeTest {

  private static final int LONG_ENOUGH = 5_000;

  @Property(tries = 400)
  void actionsAreCarriedOutOnceInOrderAndTakenBackOnceInReverse(@ForAll long seed) {
    PlanLife life = new PlanLife(seed, PlanLife.RULES, false);
    assertThat(life.live(LONG_ENOUGH)).as("ended").isPresent();
  }

  @Property(tries = 200)
  void aPlanThatIsStoredBetweenAnyTwoStepsLivesAsOneThatIsNot(@ForAll long seed) {
    PlanLife kept = new PlanLife(seed, PlanLife.RULES, false);
    PlanLife stored = new PlanLife(seed, PlanLife.RULES, true);
    kept.live(LONG_ENOUGH);
    stored.live(LONG_ENOUGH);
    assertThat(stored.trace).isEqualTo(kept.trace);
    assertThat(stored.state).isEqualTo(kept.state);
  }

  @Property(tries = 20)
  void someLivesGoBackAndSomeGoDeep(@ForAll long seed) {
    int back = 0;
    int deepest = 0;
    for (int life = 0; life < 60; life++) {
      PlanLife one = new PlanLife(seed + life, PlanLife.RULES, false);
      one.live(LONG_ENOUGH);
      back += one.undone.size();
      deepest =
          Math.max(
              deepest,
              one.state.items().mapToInt(item -> one.state.depth(item.id())).max().orElse(0));
    }
    assertThat(back).as("actions taken back").isPositive();
    assertThat(deepest).as("levels").isGreaterThanOrEqualTo(2);
  }
}
