package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SkewTest {

  @Test
  void threeNodesHoldSixtyTwentySevenAndThirteenPercent() {
    assertThat(dealt(3, 1_000)).containsExactly(600L, 267L, 133L);
  }

  @Property(tries = 50)
  void noNodeIsDealtMoreThanItMayCarry(@ForAll @IntRange(min = 2, max = 16) int nodes) {
    Skew skew = new Skew(nodes, 2);

    assertThat(skew.largest()).isLessThan(2.0 / nodes);
    assertThat(dealt(nodes, 1_000))
        .allSatisfy(tokens -> assertThat(tokens / 1_000.0).isLessThan(2.0 / nodes))
        .first()
        .satisfies(first ->
            assertThat(first / 1_000.0).isCloseTo(Math.min(0.9, 1.8 / nodes), within(0.01)));
  }

  private static List<Long> dealt(int nodes, int groups) {
    Skew skew = new Skew(nodes, 2);
    List<Long> held = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      held.add(0L);
    }
    for (int group = 0; group < groups; group++) {
      int node = skew.next(held, 1);
      held.set(node, held.get(node) + 1);
    }
    return held;
  }
}
